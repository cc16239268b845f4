// SPDX-License-Identifier: Apache-2.0
#include "load/load.h"

#include "base/text.h"
#include "resolve/not_found.h"

namespace bkr::core {

namespace {

// Reads a file that was named and is not among those that discovery saw, and notes what it is: the provisions with it.
Result<std::shared_ptr<const Provisions>> look_at(const Question &question, std::string_view named,
                                                  ProvisionTable &provisions, const InspectRules &rules) {
  const std::string file(named);
  auto facts = std::make_shared<const PluginFile>(inspect_file(file, rules));
  if (facts->failure) {
    // Not noted: it may be put right without a rescan.
    const Failure &failure = *facts->failure;
    return fail(failure.status == BKR_NOT_FOUND ? file_not_found(question, failure) : question.about(failure));
  }
  return provisions.add_named(file, std::move(facts));
}

std::string next_provider(const Resolution &resolution) {
  bool after_the_chosen = false;
  for (const Candidate &candidate : resolution.candidates) {
    if (after_the_chosen && candidate.usable) {
      return cat("The next provider, ", candidate.file,
                 ", is not used in its place; to choose it, override the member "
                 "with that file, or disable ",
                 resolution.target->plugin_id, " in BKR_DISABLE.");
    }
    after_the_chosen = after_the_chosen || candidate.chosen;
  }
  return {};
}

}  // namespace

Resolution look(const Question &question, ProvisionTable &provisions, const InspectRules &rules) {
  Resolution resolution = resolve(question, provisions.current());
  if (!resolution.target || resolution.target->provider != ProviderKind::file || resolution.target->facts) {
    return resolution;
  }
  Result<std::shared_ptr<const Provisions>> looked = look_at(question, resolution.target->file, provisions, rules);
  if (looked) return resolve(question, *looked);
  resolution.target.reset();
  resolution.failure = std::move(looked.error());
  return resolution;
}

Result<const Factory *> load(const Question &question, ProvisionTable &provisions, FactoryTable &factories,
                             const InspectRules &rules) {
  Resolution resolution = look(question, provisions, rules);
  if (resolution.failure) return fail(std::move(*resolution.failure));

  Result<const Factory *> factory = factories.load(*resolution.target);
  if (!factory) {
    Failure failure = question.about(std::move(factory.error()));
    if (const std::string next = next_provider(resolution); !next.empty()) {
      failure.next += failure.next.empty() ? next : cat("\n", next);
    }
    return fail(std::move(failure));
  }
  return factory;
}

}  // namespace bkr::core
