// SPDX-License-Identifier: Apache-2.0
#include "copies.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>

namespace rivals {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPlaceholder = "RIVAL_0000";

std::string numbered(const char *format, int i) {
  char text[32];
  std::snprintf(text, sizeof text, format, i);
  return text;
}

// GIO and GStreamer want their prefix.
std::string prefix_of(const std::string &plugin) {
  return plugin == "gio" || plugin == "class_loader" ? "lib" : plugin == "gstreamer" ? "libgst" : "";
}

void replace_all(std::string &bytes, std::string_view with) {
  for (std::size_t at = bytes.find(kPlaceholder); at != std::string::npos; at = bytes.find(kPlaceholder, at)) {
    bytes.replace(at, with.size(), with);
    at += with.size();
  }
}

// The list that gio-querymodules would write after opening each of them once. It must be newer than they are.
void write_gio_cache(const fs::path &directory) {
  std::string text;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory)) {
    text += entry.path().filename().string() + ": rival\n";
  }
  std::ofstream(directory / "giomodule.cache") << text;
}

}  // namespace

Copies::Copies(fs::path parts, fs::path where) : parts_(std::move(parts)), where_(std::move(where)) {
  fs::remove_all(where_);
  fs::create_directories(where_);
}

Copies::~Copies() {
  std::error_code ignored;
  fs::remove_all(where_, ignored);
}

std::string Copies::of(const std::string &plugin, int count, const std::string &set) {
  const fs::path directory = where_ / (plugin + set + "_" + std::to_string(count));
  if (!fs::create_directory(directory)) return directory.string();
  std::ifstream file(parts_ / (plugin + ".so"), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (int i = 0; i < count; ++i) {
    std::string copy = bytes;
    const std::string name = numbered("RIVAL_%04d", i);
    replace_all(copy, name);
    std::ofstream(directory / (prefix_of(plugin) + name + ".so"), std::ios::binary) << copy;
  }
  return directory.string();
}

std::string Copies::unrelated(int count) {
  const fs::path directory = where_ / ("unrelated_" + std::to_string(count));
  if (!fs::create_directory(directory)) return directory.string();
  for (int i = 0; i < count; ++i) std::ofstream(directory / numbered("x%04d.txt", i)) << "no plugin\n";
  return directory.string();
}

fs::path Copies::folder(const std::string &name) {
  fs::create_directories(where_ / name);
  return where_ / name;
}

void Copies::settle() const {
  // Our scan cache does not keep what was written within the last minute.
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(where_)) {
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  sync();  // or writing them out would fall into the first rounds
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  for (const fs::directory_entry &entry : fs::directory_iterator(where_)) {
    if (entry.path().filename().string().starts_with("gio")) write_gio_cache(entry.path());
  }
}

}  // namespace rivals
