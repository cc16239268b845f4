// SPDX-License-Identifier: Apache-2.0
// The readers of images, on a whole file that is really read: what inspection makes of it, and each part of an ELF
// file also where inspection stops before (a machine that is not this one's has its dynamic section skipped).
#include <algorithm>
#include <cstring>
#include <span>

#include "budget.h"
#include "discover/image.h"
#include "discover/plugin_file.h"
#include "elf_reference.h"
#include "fuzz_target.h"
#include "memory_file.h"
#include "require.h"
#include "sound_failure.h"

namespace bkr::core::fuzzing {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMaxName = 4096;
constexpr std::size_t kMaxNeeded = 1024;

bool holds(std::string_view bytes, std::string_view part) {
  return part.empty() || ::memmem(bytes.data(), bytes.size(), part.data(), part.size()) != nullptr;
}

// A name that stands in the file, with its NUL.
void require_name(std::string_view bytes, const std::string &name, const char *what) {
  require(name.find('\0') == name.npos && name.size() <= 2 * kMaxName, what, " is no name");
  require(holds(bytes, {name.c_str(), name.size() + 1}), what, " '", name, "' does not stand in the file");
}

void require_dynamic(std::string_view bytes, const std::vector<std::string> &needed, const std::string &search_path,
                     bool exports_create_backend) {
  require(needed.size() <= kMaxNeeded, needed.size(), " names of libraries");
  for (const std::string &name : needed) require_name(bytes, name, "a needed library");
  if (!search_path.empty()) require_name(bytes, search_path, "the search path");
  require(!exports_create_backend || holds(bytes, "create_backend\0"sv), "an export that the file does not name");
}

void require_descriptor(std::string_view bytes, const std::vector<std::byte> &descriptor) {
  require(holds(bytes, {reinterpret_cast<const char *>(descriptor.data()), descriptor.size()}),
          "a descriptor that does not stand in the file");
}

// What the system's loader maps of an accepted image is all in the file, in order, and apart.
void require_loadable(std::string_view bytes, const Image &image) {
  require(image.format == "ELF" && image.machine == own_machine(), "a foreign image was accepted: ", image.format);
  const std::optional<ElfHeaders> headers = read_elf_headers(bytes);
  require(headers && headers->type == kElfShared, "an image without sound headers was accepted");
  uint64_t end = 0;
  bool first = true;
  for (const ElfSegment &s : headers->segments) {
    if (s.type != kSegmentLoad) continue;
    require(s.offset <= bytes.size() && s.file_size <= bytes.size() - s.offset, "a segment passes the end of the file");
    require(s.file_size <= s.memory_size && s.address <= UINT64_MAX - s.memory_size, "a segment's sizes contradict");
    require(first ? image.load_begin == s.address : s.address >= end, "segments overlap, or load_begin is wrong");
    require(s.align <= 1 || s.address % s.align == s.offset % s.align, "a segment cannot be mapped");
    first = false;
    end = s.address + s.memory_size;
  }
  require(!first && image.load_end == end, "load_end is wrong");
}

void require_image(std::string_view bytes, const Image &image) {
  constexpr std::string_view formats[] = {"ELF",           "PE",   "MZ",     "Mach-O", "empty", "archive", "script",
                                          "linker script", "text", "unknown"};
  require(std::find(std::begin(formats), std::end(formats), image.format) != std::end(formats), "format is '",
          image.format, "'");
  require_dynamic(bytes, image.needed, image.search_path, image.exports_create_backend);
  if (image.descriptor) require_descriptor(bytes, *image.descriptor);
  if (!image.failure) return require_loadable(bytes, image);
  require_sound(*image.failure);
  require(plainly_utf8(image.failure->reason), "a reason that is not UTF-8: ", image.failure->reason);
  const bkr_status status = image.failure->status;
  require(status == BKR_BAD_FILE || status == BKR_WRONG_PLATFORM || status == BKR_BAD_DESCRIPTOR,
          "a status that is not about bytes: ", status_name(status));
  require(image.failure->stage >= BKR_STAGE_FORMAT && image.failure->stage <= BKR_STAGE_DESCRIPTOR,
          "a stage that is not about bytes: ", stage_word(image.failure->stage));
}

// The verdict of inspection is that of the image, of its descriptor, or of what the descriptor asks of this process.
void require_same_verdict(const PluginFile &file, const Image &image) {
  require(file.image.format == image.format && file.image.machine == image.machine, "the image reads otherwise again");
  require(!file.image.descriptor, "the raw descriptor was kept");
  Descriptor descriptor;
  const bool sound = image.descriptor && parse_descriptor(*image.descriptor, descriptor).has_value();
  require(file.described() == sound, "a sound descriptor was lost, or another one found");
  if (!file.failure) {
    require(!image.failure && (sound || !image.descriptor), "a bad file was accepted");
    return;
  }
  require_sound(*file.failure);
  require(file.failure->stage >= BKR_STAGE_FORMAT && file.failure->stage <= BKR_STAGE_CPU, "verdict at stage ",
          stage_word(file.failure->stage));
  if (image.failure) {
    require(file.failure->status == image.failure->status && file.failure->stage == image.failure->stage,
            "the first fault was not the verdict");
  }
}

void read_elf_parts(const FileReader &reader, std::string_view bytes) {
  const std::optional<ElfHeaders> headers = read_elf_headers(bytes);
  if (!headers) return;
  const ElfFile elf{reader, headers->wide, headers->order, headers->type, headers->segments};
  for (const ElfSegment &s : elf.segments) {
    if (s.type != kSegmentDynamic) continue;
    const std::optional<ElfDynamic> found = read_elf_dynamic(elf, s);
    if (found) require_dynamic(bytes, found->needed, found->search_path, found->exports_create_backend);
    break;  // the first one counts
  }
  const auto descriptor = find_elf_descriptor(elf);
  if (!descriptor) {
    require_sound(descriptor.error());
  } else if (*descriptor) {
    require_descriptor(bytes, **descriptor);
  }
}

void run(std::string_view bytes) {
  static MemoryFile memory;
  memory.rewrite(bytes);
  // A needed library is named by 8 bytes, and costs the 32 of a string in a vector with room for twice as many.
  const Budget budget(8 * bytes.size() + 8192);
  PluginFile file;
  file.path = memory.path();
  inspect_canonical_file(file, {});
  budget.require_kept("inspecting a file");

  const Result<FileReader> reader = FileReader::open(memory.path());
  require(reader.has_value() && reader->size() == bytes.size(), "the file in memory cannot be opened");
  const Image image = read_image(*reader);
  require_image(bytes, image);
  require_same_verdict(file, image);
  read_elf_parts(*reader, bytes);
  budget.require_kept("reading every part of a file");
}

}  // namespace
}  // namespace bkr::core::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size) {
  bkr::core::fuzzing::run({reinterpret_cast<const char *>(data), size});
  return 0;
}
