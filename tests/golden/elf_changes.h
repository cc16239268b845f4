// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_GOLDEN_ELF_CHANGES_H
#define BKR_TESTS_GOLDEN_ELF_CHANGES_H

#include <elf.h>

#include <functional>

#include "plugin_bytes.h"

namespace golden {

// A copy of the plugin, with a change to each of its program headers of this type.
loading::PluginBytes with_segments(const loading::PluginBytes &plugin, uint32_t type,
                                   const std::function<void(Elf64_Phdr &)> &change);

// A copy whose program headers name the notes with the descriptor twice.
loading::PluginBytes with_descriptor_twice(const loading::PluginBytes &plugin);

}  // namespace golden

#endif  // BKR_TESTS_GOLDEN_ELF_CHANGES_H
