// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_FILE_FACTS_H
#define BKR_DISCOVER_FILE_FACTS_H

#include <optional>
#include <string>
#include <string_view>

#include "discover/descriptor.h"
#include "discover/image.h"

namespace bkr::core {

// What the bytes of a file say to this library on a machine of this kind: stages 2 to 6. The same for every name of the
// file, so that it may be kept for as long as the file is the same.
struct FileFacts {
  Image image;                           // image.descriptor has become `descriptor`
  std::optional<Descriptor> descriptor;  // if it is sound
};

// This and decode() fill facts that are empty, in the place where they stay: a thousand files may be read at once.
void read_facts(const FileReader &reader, FileFacts &facts);

// The facts as bytes, and back. False, and no facts, for bytes that encode() of this very version did not make.
std::string encode(const FileFacts &facts);
bool decode(std::string_view bytes, FileFacts &facts);

}  // namespace bkr::core

#endif  // BKR_DISCOVER_FILE_FACTS_H
