// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_DETAIL_TYPE_PATH_HPP
#define BACKEND_REGISTRY_DETAIL_TYPE_PATH_HPP

// The qualified name of a class as a qualified path, at compile time: app::fast::Attention is
// "app.fast.Attention". Taken from what the compiler says of a function template's argument, which gcc, clang and
// MSVC all spell the same for the types that are let through.

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace bkr::detail {

// The return type is not spelled out, because gcc would explain std::string_view behind T.
template <class T>
constexpr auto signature() {
#if defined(_MSC_VER) && !defined(__clang__)
  return std::string_view(__FUNCSIG__);
#else
  return std::string_view(__PRETTY_FUNCTION__);
#endif
}

// The name of T as the compiler writes it: what stands in signature<T>() where signature<void>() has "void".
template <class T>
constexpr std::string_view spelled_name() {
  constexpr std::string_view probe = signature<void>();
  constexpr std::size_t before = probe.rfind("void]") != probe.npos ? probe.rfind("void]") : probe.find("<void>") + 1;
  constexpr std::size_t behind = probe.size() - before - 4;
  constexpr std::string_view whole = signature<T>();
  std::string_view name = whole.substr(before, whole.size() - before - behind);
  for (const std::string_view key : {std::string_view("class "), std::string_view("struct ")}) {  // MSVC
    if (name.substr(0, key.size()) == key) name.remove_prefix(key.size());
  }
  return name;
}

// Identifiers with "::" between them, and nothing else: no <…>, (…), {…}, `…' as unnamed, local and templated
// types have.
constexpr bool is_plain_name(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(name[i]);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    const bool digit = c >= '0' && c <= '9';
    const bool separator = c == ':' && i > 0 && i + 1 < name.size() && (name[i - 1] == ':' || name[i + 1] == ':');
    if (!letter && !digit && !separator) return false;
  }
  return !name.empty();
}

template <class T>
struct type_path {
  static constexpr std::string_view name = spelled_name<T>();
  static_assert(std::is_class_v<T>, "bkr::register_backend takes a class");
  static_assert(is_plain_name(name),
                "bkr::register_backend makes the backend's path of the class's qualified name, so that the class "
                "must have one: it must not be local, unnamed, in an unnamed namespace, or made from a template");
  static_assert(!is_plain_name(name) || name.find("::") != name.npos,
                "bkr::register_backend makes the backend's path of the class's qualified name, which needs a dot: "
                "put the class into a namespace (not into a function)");
  static_assert(name.size() < 4096, "a path is at most 4095 bytes long");

  static constexpr auto make() {
    std::array<char, name.size() + 1> path{};
    std::size_t length = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == ':' && name[i + 1] == ':') {
        path[length++] = '.';
        ++i;
      } else {
        path[length++] = name[i];
      }
    }
    return path;
  }
  static constexpr auto value = make();
};

}  // namespace bkr::detail

#endif  // BACKEND_REGISTRY_DETAIL_TYPE_PATH_HPP
