// SPDX-License-Identifier: Apache-2.0
// An environment, a variable a line: what is captured of it, and what its lists, globs and words come to. A line
// without a "=" is the name of a plugin that the filters are asked about.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/log.h"
#include "budget.h"
#include "discover/catalog.h"
#include "discover/search_path.h"
#include "fuzz_target.h"
#include "opened/settings.h"
#include "require.h"
#include "text_reference.h"

extern "C" char **environ;

namespace bkr::core::fuzzing {
namespace {

constexpr std::string_view kWorkingDir = "/where/it/was/opened";

struct Input {
  std::vector<std::string> entries;       // "NAME=value"
  std::vector<std::string_view> plugins;  // names to ask about
};

Input read_input(std::string_view bytes) {
  Input input;
  for (std::string_view line : plainly_split(bytes, '\n')) {
    line = line.substr(0, line.find('\0'));
    if (line.find('=') != line.npos) {
      input.entries.emplace_back(line);
    } else {
      input.plugins.push_back(line);
    }
  }
  return input;
}

// The environment of this process as it would be; the real one is put back.
Environment capture(std::vector<std::string> &entries) {
  std::vector<char *> pointers;
  for (std::string &entry : entries) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  char **const real = environ;
  environ = pointers.data();
  Environment captured = Environment::capture(true);
  environ = real;
  return captured;
}

// The first of that name, as getenv() has it; unset and empty are one.
std::string_view plain_value(const Input &input, std::string_view name) {
  for (const std::string_view entry : input.entries) {
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) return entry.substr(name.size() + 1);
  }
  return {};
}

void require_captured(const Input &input, const Environment &environment) {
  require(environment.home() == plain_value(input, "HOME"), "HOME is '", environment.home(), "'");
  require(environment.xdg_data_home() == plain_value(input, "XDG_DATA_HOME"), "XDG_DATA_HOME is '",
          environment.xdg_data_home(), "'");
  const std::vector<Variable> &settings = environment.settings();
  require(std::is_sorted(settings.begin(), settings.end(), [](auto &a, auto &b) { return a.name < b.name; }),
          "the variables are out of order");
  for (const Variable &variable : settings) {
    require(variable.name.starts_with("BKR_") && !variable.value.empty(), variable.name, " does not count");
    const std::string entry = cat(variable.name, "=", variable.value);
    require(std::find(input.entries.begin(), input.entries.end(), entry) != input.entries.end(), entry, " was not set");
  }
  for (const std::string_view entry : input.entries) {
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with("BKR_")) continue;
    require(environment.get(name) == plain_value(input, name), name, " is '", environment.get(name), "'");
  }
}

void require_places(const Input &input, const Settings &settings, const Environment &environment) {
  std::vector<std::string> expected;
  for (const std::string_view item : plainly_split(plain_value(input, "BKR_PLUGIN_PATH"), ':')) {
    if (!item.empty()) expected.push_back(item.front() == '/' ? std::string(item) : cat(kWorkingDir, "/", item));
  }
  const std::size_t named = expected.size();
  if (plain_value(input, "BKR_DEFAULT_DIRS") != "0") {
    const std::string_view data = plain_value(input, "XDG_DATA_HOME"), home = plain_value(input, "HOME");
    if (data.starts_with('/')) {
      expected.push_back(cat(data, "/backend_registry/plugins"));
    } else if (home.starts_with('/')) {
      expected.push_back(cat(home, "/.local/share/backend_registry/plugins"));
    }
    static const std::string beside_library = library_plugin_dir();
    expected.push_back(beside_library);
  }
  const std::vector<SearchPlace> places = search_places(search_settings(settings, environment));
  require(places.size() == expected.size(), places.size(), " places, expected ", expected.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    require(places[i].path == expected[i], "place ", i, " is '", places[i].path, "', expected '", expected[i], "'");
    require((places[i].origin == Origin::environment) == (i < named), "place ", i, " has another origin");
  }
}

bool plainly_listed(std::string_view list, const std::vector<std::string_view> &names) {
  for (const std::string_view item : plainly_split(list, ',')) {
    const std::string_view glob = plainly_trimmed(item);
    for (const std::string_view name : names) {
      if (!glob.empty() && plainly_matches(glob, name)) return true;
    }
  }
  return false;
}

void require_allowed(const Filters &filters, const std::vector<std::string_view> &names) {
  std::string why;
  const bool allowed = filters.allow(names, why);
  const bool expected =
      filters.enable.empty() ? !plainly_listed(filters.disable, names) : plainly_listed(filters.enable, names);
  require(allowed == expected, names.empty() ? "" : names.front(), allowed ? " is allowed" : " is refused",
          " with BKR_ENABLE=", filters.enable, " and BKR_DISABLE=", filters.disable);
  require(allowed == why.empty(), "a reason for what is allowed, or none for what is not: ", why);
  require(allowed || why.starts_with(filters.enable.empty() ? "BKR_DISABLE=" : "BKR_ENABLE="),
          "the reason names another variable: ", why);
}

void require_filters(const Input &input, const Environment &environment) {
  const Filters found = filters(environment);
  require(found.enable == plain_value(input, "BKR_ENABLE") && found.disable == plain_value(input, "BKR_DISABLE"),
          "the filters are not the variables");
  for (const std::string_view name : input.plugins) {
    require_allowed(found, {name});
    require_allowed({"", found.enable}, {name});
  }
  require_allowed(found, input.plugins);
}

void require_log_level(const Input &input, const Settings &settings, const Environment &environment) {
  constexpr std::string_view words[] = {"trace", "debug", "info", "warn", "err", "critical", "off"};
  const std::string_view word = plain_value(input, "BKR_LOG");
  const auto found = std::find(std::begin(words), std::end(words), word);
  const auto expected =
      found == std::end(words) ? BKR_LOG_WARN : BKR_LOG_TRACE + static_cast<int32_t>(found - std::begin(words));
  const int32_t level = log_level(settings, environment);
  require(level == expected, "BKR_LOG=", word, " gives level ", level);
}

// The names that mean something: see the README's table.
std::vector<std::string> known_variables(const FamilySet &families) {
  std::vector<std::string> known = {"BKR_PLUGIN_PATH", "BKR_DEFAULT_DIRS", "BKR_ENABLE", "BKR_DISABLE",
                                    "BKR_LOG",         "BKR_NUM_THREADS",  "BKR_CACHE"};
  for (const Family *family = families.first(); family; family = family->next()) {
    std::string upper = family->texts().name;
    for (char &c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    known.push_back("BKR_SELECT_" + upper);
    for (const std::string &member : family->names()) known.push_back(cat("BKR_OVERRIDE_", upper, "_", member));
  }
  return known;
}

// The first of the nearest within two edits.
std::string_view plainly_nearest(std::string_view name, const std::vector<std::string> &known) {
  std::string_view best;
  std::size_t best_edits = 3;
  for (const std::string &candidate : known) {
    if (candidate.size() > name.size() + 2 || name.size() > candidate.size() + 2) continue;  // an edit a byte
    const std::size_t edits = plain_edits(name, candidate);
    if (edits >= best_edits) continue;
    best = candidate;
    best_edits = edits;
  }
  return best;
}

void require_uses(const Environment &environment, const FamilySet &families) {
  constexpr std::size_t kMaxCompared = 4;  // the reference takes its time
  static const std::vector<std::string> known = known_variables(families);
  const std::vector<VariableUse> uses = variable_uses(environment, families);
  require(uses.size() == environment.settings().size(), "a variable without a use");
  for (std::size_t i = 0; i < std::min(uses.size(), kMaxCompared); ++i) {
    const std::string &name = uses[i].variable->name;
    const auto count = std::count(known.begin(), known.end(), name);
    require(uses[i].state == (count > 0 ? "used" : "unknown"), name, " is ", uses[i].state);
    require(uses[i].members == (name.starts_with("BKR_OVERRIDE_") ? count : 0), name, " overrides ", uses[i].members);
    if (name.size() > 128) continue;
    const std::string_view expected = count > 0 ? std::string_view() : plainly_nearest(name, known);
    require(uses[i].nearest == expected, name, " is near '", uses[i].nearest, "', expected '", expected, "'");
  }
}

// Each override is in force with its text, a refused one too.
void require_overrides(const Input &input, const Environment &environment, FamilySet &families) {
  families.update(overrides(environment), {});
  for (Family *family = families.first(); family; family = family->next()) {
    for (uint32_t number = 0; number < family->size(); ++number) {
      const Member &member = *family->at(number);
      const std::string variable = override_variable(family->texts().name, member.name());
      const std::string_view text = plain_value(input, variable);
      const TaggedPath<PathSource> path = member.effective();
      require((path.tag() == PathSource::environment) == !text.empty(), variable, " is ", text.empty() ? "un" : "",
              "set");
      if (!text.empty()) require(path.path()->text() == text.substr(0, kMaxPathSize), variable, " gives another path");
    }
  }
  for (const std::string &line : environment_warnings(environment, families)) {
    require(!line.empty() && line.find('\0') == line.npos, "a warning that is no line");
  }
}

void run(std::string_view bytes) {
  Input input = read_input(bytes);
  const Environment environment = capture(input.entries);
  Settings settings;
  settings.working_dir = kWorkingDir;
  static FamilySet built_in(nullptr);

  require_captured(input, environment);
  require_places(input, settings, environment);
  require_filters(input, environment);
  require_log_level(input, settings, environment);
  require_uses(environment, built_in);
  const bool any = std::any_of(input.entries.begin(), input.entries.end(),
                               [](const std::string &entry) { return entry.starts_with("BKR_OVERRIDE_"); });
  // A set keeps every text that it was given, so that each input has its own.
  if (any) require_overrides(input, environment, *std::make_unique<FamilySet>(nullptr));
}

}  // namespace
}  // namespace bkr::core::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  // A variable takes 64 bytes, in a vector with room for twice as many; the known names and a family's members take
  // some KiB in any case. The references are within it.
  const bkr::core::fuzzing::Budget budget(32 * size + 65536);
  bkr::core::fuzzing::run(bytes);
  budget.require_kept("an environment");
  return 0;
}
