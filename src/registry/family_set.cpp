// SPDX-License-Identifier: Apache-2.0
#include "registry/family_set.h"

#include <algorithm>
#include <map>

#include "base/flat_index.h"
#include "base/hash.h"
#include "base/text.h"
#include "registry/builtin_families.h"
#include "registry/member_names.h"
#include "registry/name_failures.h"
#include "registry/path_grammar.h"

namespace bkr::core {

namespace {

char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// An empty default (TORCH_SDPA's) is as none when it comes to the path in force: readers need to look at a pointer
// only.
TaggedPath<PathSource> usable_default(TaggedPath<MemberOrigin> path) noexcept {
  const bool usable = path.path() && !path.path()->text().empty();
  return {usable ? path.path() : nullptr, PathSource::default_path};
}

}  // namespace

std::string override_variable(std::string_view family, std::string_view member) {
  std::string name(kOverridePrefix);
  for (const char c : family) name += upper(c);
  name += '_';
  name += member;
  return name;
}

bool is_override_variable(std::string_view variable, std::string_view family, std::string_view member) noexcept {
  if (variable.size() != kOverridePrefix.size() + family.size() + 1 + member.size()) return false;
  if (!variable.starts_with(kOverridePrefix) || !variable.ends_with(member)) return false;
  const std::string_view middle = variable.substr(kOverridePrefix.size(), family.size() + 1);
  return middle.back() == '_' && std::equal(family.begin(), family.end(), middle.begin(),
                                            [](char own, char given) { return upper(own) == given; });
}

FamilySet::FamilySet(void *owner) : owner_(owner) {
  families_.reserve(builtin_families().size());
  for (const BuiltinFamily &builtin : builtin_families()) {
    auto family =
        std::make_unique<Family>(*this, FamilyTexts{builtin.name, builtin.title, builtin.collection, builtin.subject});
    family->reserve(static_cast<uint32_t>(builtin.members.size()));
    for (const BuiltinMember &member : builtin.members) {
      const QualifiedPath *path = nullptr;
      if (member.default_path) {
        // TORCH_SDPA's path is empty, which nobody may give and which leads nowhere.
        path = *member.default_path ? *paths_.make(member.default_path) : paths_.make_refused({});
      }
      add_member(*family, copy_name_text(arena_, member.name), {path, MemberOrigin::built_in}, nullptr);
    }
    append_family(std::move(family));
  }
}

FamilySet::~FamilySet() = default;

void FamilySet::append_family(std::unique_ptr<Family> family) noexcept {
  std::atomic<Family *> &link = families_.empty() ? first_ : families_.back()->next_;
  families_.push_back(std::move(family));
  link.store(families_.back().get(), std::memory_order_release);
}

Family *FamilySet::find(std::string_view name) const noexcept {
  Family *family = first();
  while (family && !same_text(family->texts().name, name)) family = family->next();
  return family;
}

std::vector<std::string> FamilySet::names() const {
  std::vector<std::string> all;
  for (const Family *family = first(); family; family = family->next()) all.push_back(family->texts().name);
  return all;
}

Result<Family *> FamilySet::add_family(std::string_view name, std::string_view title,
                                       const std::vector<RecordMember> &records, std::vector<std::string> &warnings) {
  const std::lock_guard lock(write_mutex_);
  if (find(name)) {
    return fail(BKR_ALREADY_EXISTS, cat("Family ", name, " already exists."),
                "Find it with bkr_family_find(), or choose another name.");
  }
  if (!is_identifier(name) || name.size() > kMaxFamilyName) {
    return fail(BKR_INVALID_NAME, cat("Invalid family name: ", name),
                cat("A name is [A-Za-z_][A-Za-z0-9_]*, at most ", kMaxFamilyName, " bytes long; this one has ",
                    name.size(), "."));
  }
  auto family = std::make_unique<Family>(
      *this, FamilyTexts{std::string(name), std::string(title), std::string(name), std::string(title)});
  Plan planned = plan(records, family.get());
  families_.reserve(families_.size() + 1);

  carry_out(planned);
  append_family(std::move(family));
  advance_epoch();
  warnings = std::move(planned.warnings);
  return families_.back().get();
}

// The environment's path for a member; null if there is none. Compared piece by piece: withdrawing an override must
// not need memory.
const QualifiedPath *FamilySet::environment_path(const Member &member) const noexcept {
  for (const auto &[variable, path] : environment_) {
    if (is_override_variable(variable, member.family().texts().name, member.name())) return path;
  }
  return nullptr;
}

TaggedPath<PathSource> FamilySet::without_api(const Member &member) const noexcept {
  if (const QualifiedPath *path = environment_path(member)) return {path, PathSource::environment};
  return usable_default(member.default_path());
}

Member &FamilySet::add_member(Family &family, const char *name, TaggedPath<MemberOrigin> path,
                              const QualifiedPath *api_override) noexcept {
  const uint32_t number = family.size();
  Member &member = family.append(name);
  member.default_.store(path);
  member.effective_.store(api_override ? TaggedPath<PathSource>(api_override, PathSource::api) : without_api(member));
  family.publish(number);
  return member;
}

void FamilySet::set_default(Member &member, TaggedPath<MemberOrigin> path) noexcept {
  const TaggedPath<PathSource> effective = member.effective();
  member.default_.store(path);
  if (effective.tag() == PathSource::default_path) member.effective_.store(usable_default(path));
}

Result<Member *> FamilySet::register_member(Family &family, std::string_view name, std::string_view path,
                                            bool also_override) {
  const std::lock_guard lock(write_mutex_);
  const std::string name_text(name);
  Member *member = family.find(name_text.c_str());
  // A name that a record brought yields to the host.
  if (member && member->default_path().tag() != MemberOrigin::record) return fail(already_exists(*member));
  if (const Result<void> valid = check_member_name(name); !valid) return fail(valid.error());

  const QualifiedPath *made = nullptr;
  if (!path.empty() || also_override) {
    const Result<const QualifiedPath *> result = paths_.make(path);
    if (!result) return fail(path_refused(family, name, result.error()));
    made = *result;
  }
  family.reserve(1);
  if (member) {
    set_default(*member, {made, MemberOrigin::host});
    if (also_override) member->effective_.store({made, PathSource::api});
    family.index_path(family.number_of(*member));
  } else {
    member =
        &add_member(family, copy_name_text(arena_, name), {made, MemberOrigin::host}, also_override ? made : nullptr);
  }
  advance_epoch();
  return member;
}

Result<void> FamilySet::override_path(Member &member, std::string_view path) {
  const std::lock_guard lock(write_mutex_);
  const Result<const QualifiedPath *> interned = paths_.intern(path);
  if (!interned) return fail(path_refused(member.family(), member.name(), interned.error()));
  member.effective_.store({*interned, PathSource::api});
  advance_epoch();
  return {};
}

void FamilySet::clear_override(Member &member) {
  const std::lock_guard lock(write_mutex_);
  if (member.effective().tag() != PathSource::api) return;
  member.effective_.store(without_api(member));
  advance_epoch();
}

Result<const QualifiedPath *> FamilySet::intern(std::string_view path) {
  const std::lock_guard lock(write_mutex_);
  return paths_.intern(path);
}

FamilySet::Plan FamilySet::plan(const std::vector<RecordMember> &records, Family *coming) {
  Plan plan;
  plan.changes.reserve(records.size());
  paths_.reserve(records.size());
  FlatIndex settled;  // by name; the first record of one in its family decides
  const auto name_hash = [&](uint32_t number) { return hash_text(records[number].name); };
  settled.make_room(records.size(), name_hash);
  for (uint32_t number = 0; number < records.size(); ++number) {
    const RecordMember &record = records[number];
    Family *family = coming && coming->texts().name == record.family ? coming : find(record.family);
    if (!family || !check_member_name(record.name)) continue;
    // A record provides a dotted path. One that named a file would lead out of the search directories.
    const ParsedPath parsed = parse_path(record.path);
    if (parsed.kind != PathKind::dotted) continue;
    Member *member = family->find(record.name);
    if (member && member->default_path().tag() != MemberOrigin::record) continue;
    const Result<const QualifiedPath *> path = paths_.intern(record.path, &parsed);
    if (!path) continue;
    const uint64_t hash = name_hash(number);
    const uint32_t first = settled.find(hash, [&](uint32_t other) {
      return records[other].name == record.name && records[other].family == record.family;
    });
    if (first != FlatIndex::kNone) {
      if (records[first].path != record.path) {
        plan.warnings.push_back(cat("Two plugins bring the name ", record.family, ".", record.name,
                                    " with different paths: ", records[first].file, " decides, ", record.file,
                                    " provides its path only. Disable one of them in BKR_DISABLE."));
      }
      continue;
    }
    settled.add(hash, number);
    if (!member) {
      plan.changes.push_back({family, nullptr, copy_name_text(arena_, record.name), *path});
    } else if (member->default_path().path() != *path) {
      plan.changes.push_back({family, member, nullptr, *path});
    }
  }
  std::map<Family *, uint32_t> counts;
  for (const Plan::Change &change : plan.changes) ++counts[change.family];
  for (const auto &[family, count] : counts) family->reserve(count);
  return plan;
}

void FamilySet::carry_out(const Plan &plan) noexcept {
  for (const auto &[family, member, name, path] : plan.changes) {
    if (member) {
      set_default(*member, {path, MemberOrigin::record});
      family->index_path(family->number_of(*member));
    } else {
      add_member(*family, name, {path, MemberOrigin::record}, nullptr);
    }
  }
}

std::vector<std::string> FamilySet::update(const OverrideEnvironment &environment,
                                           const std::vector<RecordMember> &records) {
  const std::lock_guard lock(write_mutex_);
  EnvironmentPaths paths;
  for (const auto &[variable, text] : environment) {
    // One that is refused is kept as a path that fails with a reason: what was forced must not be passed over for a
    // default.
    const Result<const QualifiedPath *> path = paths_.intern(text);
    paths.emplace_back(variable, path ? *path : paths_.make_refused(text));
  }
  Plan planned = plan(records);

  environment_ = std::move(paths);
  for (Family *family = first(); family; family = family->next()) {
    for (uint32_t number = 0; number < family->size(); ++number) {
      Member &member = *family->at(number);
      if (member.effective().tag() != PathSource::api) member.effective_.store(without_api(member));
    }
  }
  carry_out(planned);
  advance_epoch();
  return std::move(planned.warnings);
}

const char *FamilySet::module_of(const QualifiedPath &path) {
  if (path.module().size() == path.text().size()) return path.c_str();
  const char *text = path.module_text().load(std::memory_order_acquire);
  if (!text) {
    text = keep(path.module());
    path.module_text().store(text, std::memory_order_release);
  }
  return text;
}

const char *FamilySet::keep(std::string_view text) {
  const std::lock_guard lock(text_mutex_);
  const auto found = texts_.find(text);
  if (found != texts_.end()) return found->second;
  const char *copy = text_arena_.copy(text);
  texts_.emplace(std::string_view(copy, text.size()), copy);
  return copy;
}

}  // namespace bkr::core
