// SPDX-License-Identifier: Apache-2.0
#include "resolve/resolve.h"

#include "base/text.h"
#include "resolve/not_found.h"

namespace bkr::core {

std::string_view provider_word(ProviderKind kind) noexcept {
  switch (kind) {
    case ProviderKind::in_process:
      return "in-process";
    case ProviderKind::record:
      return "record";
    case ProviderKind::file:
      return "file";
  }
  return "unknown";
}

namespace {

// As check_path() quotes it: one that had to be refused for its length is not told in full.
std::string quoted(const QualifiedPath &path) {
  const std::string_view text = path.text();
  return text.size() > kMaxPathSize ? cat("'", text.substr(0, utf8_prefix(text, 64)), "…'") : cat("'", text, "'");
}

}  // namespace

std::string Question::words() const {
  const std::string named = quoted(*path);
  if (member.empty()) return cat("Path ", named, " of family ", family);
  return cat(family, ".", member, " (", named, variable.empty() ? "" : ", from ", variable, ")");
}

Failure Question::about(Failure failure) const {
  const std::string file = path->is_place() ? path->file() : std::string();
  const std::string_view of_file = path->text().starts_with(file) ? said_of(file, failure.reason) : std::string_view();
  const std::string_view of_path = said_of(quoted(*path), failure.reason);
  failure.reason = !of_file.empty()   ? cat(words(), ": the file", of_file)
                   : !of_path.empty() ? cat(words(), ": it", of_path)
                                      : cat(words(), ": ", failure.reason);
  return failure;
}

namespace {

// What stands against a record: its file's verdict, or its own CPU level.
std::optional<Failure> objection(const PluginFile &file, const Record &record) {
  if (file.failure && file.failure->stage != BKR_STAGE_CPU) return file.failure;
  if (Result<void> met = check_cpu_level(record.cpu_level); !met) return cannot_be_used(file, std::move(met.error()));
  return std::nullopt;
}

std::shared_ptr<const PluginFile> share(const std::shared_ptr<const Provisions> &provisions, const CatalogFile &file) {
  return {provisions->catalog, &file.file};
}

// All that declare the path are unusable: the first one's failure, and the reasons against the others.
Failure none_usable(Failure first, const Question &question, const std::vector<Candidate> &candidates) {
  first.reason = cat("No usable plugin provides ", question.words(), ": ", first.reason);
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    first.reason += cat(i == 1 ? "\nOthers that declare it:" : "", "\n  ", candidates[i].reason);
  }
  return first;
}

Resolution resolve_dotted(const Question &question, const std::shared_ptr<const Provisions> &provisions) {
  Resolution resolution;
  const std::string_view path = question.path->text();
  const IndexedCatalog &catalog = *provisions->catalog;
  const auto &records = catalog.providers(question.family, path);

  std::string_view before;  // who was chosen, for the reasons of those that follow
  if (const InProcessProvider *inside = provisions->find_in_process(question.family, path)) {
    resolution.candidates.push_back({ProviderKind::in_process, "", "", "", true, true, ""});
    resolution.target =
        Target{ProviderKind::in_process, question.family, path, "", "", question.member, "", "", *inside, nullptr};
    before = "a function inside the host";
  }

  std::optional<Failure> first_objection;
  for (const RecordRef &ref : records) {
    const CatalogFile &file = catalog.file(ref);
    const Record &record = catalog.record(ref);
    Candidate candidate{ProviderKind::record, file.file.path, file.file.descriptor->plugin_id, record.cpu_level};
    if (std::optional<Failure> against = objection(file.file, record)) {
      candidate.reason = against->reason;
      if (!first_objection) first_objection = std::move(against);
    } else {
      candidate.usable = true;
      if (resolution.target) {
        candidate.reason = cat(before, " comes first");
      } else {
        candidate.chosen = true;
        before = file.file.path;
        resolution.target = Target{
            ProviderKind::record, record.family,       record.path, file.file.path,         record.symbol, record.name,
            candidate.plugin_id,  record.interface_id, {},          share(provisions, file)};
        resolution.target->priority = record.priority;
      }
    }
    resolution.candidates.push_back(std::move(candidate));
  }

  if (!resolution.target) {
    if (first_objection) {
      resolution.failure = none_usable(std::move(*first_objection), question, resolution.candidates);
    } else {
      resolution.failure = not_found(question, catalog.catalog());
    }
  }
  return resolution;
}

// Filters and duplicates are about what discovery lists; a file that is named is taken all the same.
bool stands_against_a_named_file(const Failure &failure) {
  return failure.stage != BKR_STAGE_POLICY && failure.stage != BKR_STAGE_DUPLICATE;
}

std::shared_ptr<const PluginFile> facts_of(std::string_view file, const std::shared_ptr<const Provisions> &provisions) {
  if (const auto named = provisions->named.find(file); named != provisions->named.end()) return named->second;
  const CatalogFile *listed = provisions->catalog->catalog().find(std::string(file));
  if (!listed) return nullptr;
  if (listed->file.failure && !stands_against_a_named_file(*listed->file.failure)) return nullptr;
  return share(provisions, *listed);
}

Resolution resolve_file(const Question &question, const std::shared_ptr<const Provisions> &provisions) {
  Resolution resolution;
  std::string_view file = question.path->file();
  if (!question.path->is_place()) {
    const Catalog &catalog = provisions->catalog->catalog();
    const CatalogFile *listed = nullptr;
    for (const CatalogFile &candidate : catalog.files) {
      if (candidate.name == file) {
        listed = &candidate;
        break;
      }
    }
    if (!listed) {
      resolution.failure = file_name_not_found(question, catalog);
      return resolution;
    }
    file = listed->file.path;
  }

  const std::shared_ptr<const PluginFile> facts = facts_of(file, provisions);
  Candidate candidate{ProviderKind::file, file, "", ""};
  if (facts && facts->descriptor) candidate.plugin_id = facts->descriptor->plugin_id;
  Target target{ProviderKind::file,
                question.family,
                question.path->text(),
                file,
                question.path->symbol(),
                "",
                candidate.plugin_id,
                "",
                {},
                facts};
  std::optional<Failure> failure;
  if (facts) {
    if (facts->failure) {
      failure = facts->failure;
    } else if (Result<const Record *> record = record_for_symbol(*facts, question); !record) {
      failure = std::move(record.error());
    } else if (*record) {
      candidate.cpu_level = (*record)->cpu_level;
      target.family = (*record)->family;
      target.backend_name = (*record)->name;
      target.interface_id = (*record)->interface_id;
      target.priority = (*record)->priority;
      failure = objection(*facts, **record);
    } else {
      target.backend_name = question.member;
    }
  }
  candidate.chosen = candidate.usable = !failure;
  if (failure) {
    candidate.reason = failure->reason;
    resolution.failure = question.about(std::move(*failure));
  } else {
    resolution.target = std::move(target);
  }
  resolution.candidates.push_back(std::move(candidate));
  return resolution;
}

}  // namespace

Result<const Record *> record_for_symbol(const PluginFile &file, const Question &question) {
  if (!file.descriptor) return nullptr;
  const std::string_view symbol = question.path->symbol();
  std::vector<const Record *> matching;
  std::string all;
  for (const Record &record : file.descriptor->records) {
    if (record.family == question.family && record.symbol == symbol) matching.push_back(&record);
    all += cat("\n  ", record.family, ".", record.name, "  ", record.path, "  ::", record.symbol);
  }
  if (matching.size() == 1) return matching.front();
  for (const Record *record : matching) {
    if (record->name == question.member) return record;
  }
  const std::string behind = cat("of family ", question.family, " with the create function ", symbol);
  if (matching.empty()) {
    return fail(BKR_BAD_PATH, cat(file.path, " holds no backend ", behind, "."),
                cat("Name another function as `file::symbol`, or a backend by its dotted path. The file holds:", all));
  }
  return fail(BKR_BAD_PATH,
              cat(file.path, " holds ", matching.size(), " backends ", behind,
                  question.member.empty() ? std::string(", and the path does not say which one.")
                                          : cat(", and none of them is called ", question.member, ".")),
              cat("Name one of them by its dotted path instead. The file holds:", all));
}

Resolution resolve(const Question &question, const std::shared_ptr<const Provisions> &provisions) {
  Resolution resolution;
  switch (question.path->kind()) {
    case PathKind::dotted:
      resolution = resolve_dotted(question, provisions);
      break;
    case PathKind::file:
      resolution = resolve_file(question, provisions);
      break;
    case PathKind::empty:
    case PathKind::word:
      resolution.failure = bad_path(question);
      break;
  }
  resolution.provisions = provisions;
  return resolution;
}

}  // namespace bkr::core
