// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_LOADING_PLUGIN_BYTES_H
#define BKR_TESTS_LOADING_PLUGIN_BYTES_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace loading {

// The bytes of a plugin, to be dropped as they are or changed before: every change gives a copy.
class PluginBytes {
 public:
  explicit PluginBytes(std::string bytes) : bytes_(std::move(bytes)) {}

  const std::string &bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

  // The first `size` bytes.
  PluginBytes cut(std::size_t size) const { return PluginBytes(bytes_.substr(0, size)); }

  // A number put over the bytes at `at`, in the file or in the header of its descriptor.
  template <class T>
  PluginBytes with(std::size_t at, T value) const {
    PluginBytes copy = *this;
    std::memcpy(copy.bytes_.data() + at, &value, sizeof value);
    return copy;
  }
  template <class T>
  PluginBytes with_header(std::size_t at, T value) const {
    return with(descriptor() + at, value);
  }

  // Another id of the plugin, and for its first record another name (with the path that belongs to it), family, path,
  // symbol, interface, CPU level or priority.
  PluginBytes with_id(std::string_view id) const;
  PluginBytes named(std::string_view name) const;
  PluginBytes with_name(std::string_view name) const;
  PluginBytes with_family(std::string_view family) const;
  PluginBytes with_path(std::string_view path) const;
  PluginBytes with_symbol(std::string_view symbol) const;
  PluginBytes with_interface(std::string_view id) const;
  PluginBytes with_cpu_level(std::string_view level) const;
  PluginBytes with_priority(int32_t priority) const;

  // A text that ends in a NUL, put over the first one of that content, which is no shorter: a needed library's name.
  PluginBytes with_text(std::string_view from, std::string_view to) const;

  // Another text for its code to give: tells old code from new.
  PluginBytes with_code(std::string_view code) const;

  // Section headers taken away: what runs does not need them.
  PluginBytes without_sections() const;

  // Where its descriptor begins.
  std::size_t descriptor() const;

 private:
  PluginBytes with_field(std::size_t at, std::size_t size, std::string_view text) const;
  std::string bytes_;
};

// One of the files that plugins/CMakeLists.txt builds: built("good"), or built("libbeside").
PluginBytes built(std::string_view name);

// "test.GOOD.Backend": the path that named("GOOD") gives.
std::string path_of(std::string_view name);

}  // namespace loading

#endif  // BKR_TESTS_LOADING_PLUGIN_BYTES_H
