// SPDX-License-Identifier: Apache-2.0
#include "plugin_bytes.h"

#include <backend_registry/descriptor.h>
#include <elf.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "plugins/probe.h"

namespace loading {

PluginBytes built(std::string_view name) {
  const std::string path = std::string(LOADING_PLUGIN_DIR "/") + std::string(name) + ".so";
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  if (!stream || bytes.str().empty()) {
    std::cerr << "cannot read " << path << "\n";
    std::abort();
  }
  return PluginBytes(bytes.str());
}

std::string path_of(std::string_view name) { return "test." + std::string(name) + ".Backend"; }

std::size_t PluginBytes::descriptor() const {
  const std::size_t at = bytes_.find("BKR\r\n\x1a\n\x01");
  if (at == std::string::npos) std::abort();
  return at;
}

PluginBytes PluginBytes::with_field(std::size_t at, std::size_t size, std::string_view text) const {
  if (text.size() >= size) std::abort();
  PluginBytes copy = *this;
  std::string field(text);
  field.resize(size);
  copy.bytes_.replace(descriptor() + at, size, field);
  return copy;
}

#define LOADING_RECORD(field) \
  sizeof(bkr_descriptor_header) + offsetof(bkr_descriptor_record, field), sizeof(bkr_descriptor_record::field)

PluginBytes PluginBytes::with_id(std::string_view id) const {
  return with_field(offsetof(bkr_descriptor_header, plugin_id), sizeof(bkr_descriptor_header::plugin_id), id);
}
PluginBytes PluginBytes::named(std::string_view name) const {
  return with_id("test." + std::string(name)).with_name(name).with_path(path_of(name));
}
PluginBytes PluginBytes::with_name(std::string_view name) const { return with_field(LOADING_RECORD(name), name); }
PluginBytes PluginBytes::with_family(std::string_view family) const {
  return with_field(LOADING_RECORD(family), family);
}
PluginBytes PluginBytes::with_path(std::string_view path) const { return with_field(LOADING_RECORD(path), path); }
PluginBytes PluginBytes::with_symbol(std::string_view symbol) const {
  return with_field(LOADING_RECORD(symbol), symbol);
}
PluginBytes PluginBytes::with_interface(std::string_view id) const {
  return with_field(LOADING_RECORD(interface_id), id);
}
PluginBytes PluginBytes::with_cpu_level(std::string_view level) const {
  return with_field(LOADING_RECORD(cpu_level), level);
}

PluginBytes PluginBytes::with_priority(int32_t priority) const {
  return with_header(sizeof(bkr_descriptor_header) + offsetof(bkr_descriptor_record, priority), priority);
}

PluginBytes PluginBytes::with_text(std::string_view from, std::string_view to) const {
  const std::size_t at = bytes_.find(std::string(from) + '\0');
  if (at == std::string::npos || to.size() > from.size()) std::abort();
  std::string text(to);
  text.resize(from.size());
  PluginBytes copy = *this;
  copy.bytes_.replace(at, text.size(), text);
  return copy;
}

PluginBytes PluginBytes::with_code(std::string_view code) const { return with_text(LOADING_CODE, code); }

PluginBytes PluginBytes::without_sections() const {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shoff == 0) std::abort();
  const auto end = static_cast<std::size_t>(header.e_shoff);
  header.e_shoff = 0;
  header.e_shnum = 0;
  header.e_shstrndx = 0;
  return cut(end).with(0, header);
}

}  // namespace loading
