// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_DISCOVER_PLUGIN_FILE_H
#define BKR_DISCOVER_PLUGIN_FILE_H

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "discover/file_facts.h"
#include "discover/file_reader.h"

namespace bkr::core {

// What decides whether a file may be used: everything that stages 7 to 9 ask of this process.
struct InspectRules {
  bool strict = false;    // refuse what others may write, or what belongs to neither root nor the user
  bool elevated = false;  // as strict
};

// One file as discovery read it: a verdict with all the facts that led to it (the descriptor is present whenever it is
// sound, also if the verdict is against the file). Immutable once made.
struct PluginFile : FileFacts {
  std::string path;               // absolute; canonical once the file could be opened
  std::vector<std::string> also;  // other names of the same file, in the order they were seen
  FileIdentity identity;
  std::optional<Failure> failure;     // the first of stages 1 to 10 that failed; none: usable
  std::vector<std::string> warnings;  // what the policy merely warns about

  bool usable() const { return !failure; }
  // A library without a descriptor is usable by `file::symbol`, but makes no member: see no_descriptor_remark().
  bool described() const { return descriptor.has_value(); }
};

class ScanCache;

// Reads one file through stages 1 to 9 (all but the filters and duplicates, which are about sets of files).
// Opens nothing as code. `path` is absolute. What `cache` knows of the file is not read again.
PluginFile inspect_file(const std::string &path, const InspectRules &rules, ScanCache *cache = nullptr);

// As inspect_file(), for a `file` that has its path only, which is canonical already and whose directory the caller has
// put to the policy. `directory`: that directory's descriptor.
void inspect_canonical_file(PluginFile &file, const InspectRules &rules, ScanCache *cache = nullptr,
                            int directory = kNoDirectory);

// A failure that was found inside a file, told of the file: "/x/libx.so cannot be used: …".
Failure cannot_be_used(const PluginFile &file, Failure failure);

// What report and inspection say of a usable file that has no descriptor.
struct Remark {
  std::string reason;
  std::string next;
};
Remark no_descriptor_remark(const PluginFile &file);

// Whether this machine meets a record's cpu_level; the Failure (BKR_WRONG_PLATFORM, stage cpu) says what is asked
// and what is there.
Result<void> check_cpu_level(const std::string &cpu_level);

// 0 for any CPU, else the number n of the x86-64-vN in `cpu_level`: a higher one is preferred where it is met.
int cpu_level_rank(const std::string &cpu_level) noexcept;

// The level words this machine meets, lowest first: "x86-64", "x86-64-v2", …
const std::vector<std::string> &own_cpu_levels();

}  // namespace bkr::core

#endif  // BKR_DISCOVER_PLUGIN_FILE_H
