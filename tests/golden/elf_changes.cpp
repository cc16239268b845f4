// SPDX-License-Identifier: Apache-2.0
#include "elf_changes.h"

#include <cstdlib>
#include <optional>

namespace golden {

using loading::PluginBytes;

PluginBytes with_segments(const PluginBytes &plugin, uint32_t type, const std::function<void(Elf64_Phdr &)> &change) {
  const auto read = [&plugin](std::size_t at, auto value) {
    plugin.bytes().copy(reinterpret_cast<char *>(&value), sizeof value, at);
    return value;
  };
  const auto header = read(0, Elf64_Ehdr{});
  PluginBytes changed = plugin;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const std::size_t at = static_cast<std::size_t>(header.e_phoff) + i * sizeof(Elf64_Phdr);
    auto segment = read(at, Elf64_Phdr{});
    if (segment.p_type != type) continue;
    change(segment);
    changed = changed.with(at, segment);
  }
  return changed;
}

PluginBytes with_descriptor_twice(const PluginBytes &plugin) {
  std::optional<Elf64_Phdr> notes;
  with_segments(plugin, PT_NOTE, [&](Elf64_Phdr &segment) {
    if (plugin.descriptor() - segment.p_offset < segment.p_filesz) notes = segment;
  });
  if (!notes) std::abort();
  return with_segments(plugin, PT_GNU_STACK, [&](Elf64_Phdr &segment) { segment = *notes; });
}

}  // namespace golden
