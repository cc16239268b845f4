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

FileFacts read_facts(const FileReader &reader);

// The facts as bytes, and back. Nothing for bytes that encode() of this very version did not make.
std::string encode(const FileFacts &facts);
std::optional<FileFacts> decode(std::string_view bytes);

}  // namespace bkr::core

#endif  // BKR_DISCOVER_FILE_FACTS_H
