// SPDX-License-Identifier: Apache-2.0
#include "discover/plugin_file.h"

#include <backend_registry/version.h>

#include "base/text.h"
#include "discover/directory.h"
#include "discover/policy.h"
#include "discover/scan_cache.h"

namespace bkr::core {

namespace {

std::string abi_text(int major, int minor) { return cat(major, ".", minor); }

Result<void> check_abi(const Descriptor &descriptor) {
  const auto refused = [&](std::string_view need) {
    return fail(Failure{BKR_ABI_MISMATCH, BKR_STAGE_ABI,
                        cat("it was built for plugin ABI ", abi_text(descriptor.abi_major, descriptor.abi_minor), need,
                            "; this library has ", abi_text(BKR_ABI_MAJOR, BKR_ABI_MINOR)),
                        descriptor.abi_major < BKR_ABI_MAJOR
                            ? "Build the plugin anew with the headers of this library."
                            : "Use a newer libbackend_registry, or build the plugin with older headers.",
                        0});
  };
  if (descriptor.abi_major != BKR_ABI_MAJOR) return refused("");
  if (descriptor.abi_minor_min > BKR_ABI_MINOR) {
    return refused(cat(" and needs at least ", abi_text(descriptor.abi_major, descriptor.abi_minor_min)));
  }
  return {};
}

// A file is of no use to this machine only if none of its records is; single records are resolution's to judge.
Result<void> check_cpu(const Descriptor &descriptor) {
  Result<void> first;
  for (const Record &record : descriptor.records) {
    Result<void> met = check_cpu_level(record.cpu_level);
    if (met) return {};
    if (first) first = std::move(met);
  }
  return first;
}

// Stages 2 to 8: what the bytes say, and what this machine and version make of it.
void judge(PluginFile &file) {
  if (file.image.failure) file.failure = file.image.failure;
  const auto check = [&](const Result<void> &result) {
    if (!result && !file.failure) file.failure = result.error();
  };
  if (file.descriptor) {
    check(check_abi(*file.descriptor));
    check(check_cpu(*file.descriptor));
  }
  if (file.failure) file.failure = cannot_be_used(file, std::move(*file.failure));
}

// Whether the cache knows the file, which is not opened then.
bool inspect_from_cache(ScanCache &cache, const InspectRules &rules, int directory, PluginFile &file) {
  const auto status = file_status(file.path, directory);
  if (!status) return false;
  if (!cache.find(status->identity, file)) return false;
  file.identity = status->identity;
  judge(file);
  apply_policy(policy_fault(file.path, status->ownership), rules, file);
  return true;
}

}  // namespace

Failure cannot_be_used(const PluginFile &file, Failure failure) {
  failure.reason = cat(file.path, " cannot be used: ", failure.reason, ".");
  return failure;
}

void inspect_canonical_file(PluginFile &file, const InspectRules &rules, ScanCache *cache, int directory) {
  if (cache && inspect_from_cache(*cache, rules, directory, file)) return;
  const auto reader = FileReader::open(file.path, directory);
  if (!reader) {
    file.failure = reader.error();
    return;
  }
  file.identity = reader->identity();
  read_facts(*reader, file);
  if (cache && !reader->was_disturbed()) cache->keep(file.identity, file);
  judge(file);
  apply_policy(policy_fault(file.path, reader->ownership()), rules, file);
}

PluginFile inspect_file(const std::string &path, const InspectRules &rules, ScanCache *cache) {
  // Asked before it is opened: opening some devices has effects.
  const auto identity = identify(path);
  const auto canonical = identity ? canonical_path(path) : fail(identity.error());
  PluginFile file;
  if (!canonical) {
    file.path = path;
    file.failure = canonical.error();
    return file;
  }
  file.path = *canonical;
  inspect_canonical_file(file, rules, cache);
  std::string parent;
  if (const auto ownership = parent_ownership(*canonical, parent)) {
    apply_policy(policy_fault(parent, *ownership), rules, file);
  }
  return file;
}

Remark no_descriptor_remark(const PluginFile &file) {
  if (file.image.exports_create_backend) {
    return {cat(file.path, " has no descriptor, so none of its backends is a member by itself."),
            cat("Add BKR_PLUGIN(\"id\", \"version\", BKR_BACKEND(family, name, path, create_backend, \"\", \"\", 0)); "
                "from backend_registry/descriptor.h to one of its sources, or use the path ",
                file.path, "::create_backend.")};
  }
  return {cat(file.path, " has neither a descriptor nor a function create_backend: it is a library, but no plugin."),
          "Export create_backend and add BKR_PLUGIN from backend_registry/descriptor.h, or remove the file."};
}

}  // namespace bkr::core
