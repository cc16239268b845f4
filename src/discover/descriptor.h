// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_DESCRIPTOR_H
#define BKR_DISCOVER_DESCRIPTOR_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/failure.h"

namespace bkr::core {

// One backend in a plugin, as its author described it.
struct Record {
  std::string family;
  std::string name;
  std::string path;
  std::string symbol;
  std::string interface_id;
  std::string cpu_level;  // a comma list of words; empty: any CPU
  int32_t priority = 0;
  uint32_t flags = 0;
};

// The descriptor of a plugin, parsed and found sound.
struct Descriptor {
  uint16_t abi_major = 0;
  uint16_t abi_minor_min = 0;
  uint16_t abi_minor = 0;
  uint16_t format = 0;
  uint32_t flags = 0;
  std::string plugin_id;
  std::string version;
  std::vector<Record> records;
};

// Parses the bytes of a descriptor (layout: descriptor.h of the public headers) into one that is empty.
// BKR_BAD_DESCRIPTOR names the field that is wrong.
Result<void> parse_descriptor(std::span<const std::byte> bytes, Descriptor &descriptor);

}  // namespace bkr::core

#endif  // BKR_DISCOVER_DESCRIPTOR_H
