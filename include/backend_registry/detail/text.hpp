// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_DETAIL_TEXT_HPP
#define BACKEND_REGISTRY_DETAIL_TEXT_HPP

#include <string>
#include <string_view>

namespace bkr {

// The type of parameters that are texts for functions in C: takes a const char * (NULL too), a std::string, or a
// std::string_view (which is copied, since it need not end in a NUL). The compiler makes it from what you pass.
class text {
 public:
  text(const char *characters) noexcept : characters_(characters) {}
  text(const std::string &string) noexcept : characters_(string.c_str()) {}
  text(std::string_view view) : copy_(view), characters_(copy_.c_str()) {}
  text(const text &) = delete;
  text &operator=(const text &) = delete;

  const char *c_str() const noexcept { return characters_; }

 private:
  std::string copy_;
  const char *characters_;
};

}  // namespace bkr

#endif  // BACKEND_REGISTRY_DETAIL_TEXT_HPP
