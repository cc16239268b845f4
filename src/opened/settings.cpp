// SPDX-License-Identifier: Apache-2.0
#include "opened/settings.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "base/log.h"
#include "base/process.h"
#include "base/request.h"
#include "base/text.h"

namespace bkr::core {

Result<Settings> copy_settings(const bkr_config *config) {
  Settings settings;
  std::error_code unknown;  // in a deleted directory there is none
  settings.working_dir = std::filesystem::current_path(unknown).string();
  if (!config) return settings;
  if (Result<void> request = check_request(config, "bkr_config"); !request) return fail(std::move(request.error()));
  constexpr uint32_t known = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS | BKR_CONFIG_STRICT |
                             BKR_CONFIG_ALLOW_UNLOAD | BKR_CONFIG_SCAN_CACHE;
  const auto invalid = [](std::string_view reason, std::string next) {
    return fail(BKR_INVALID_ARGUMENT, cat("bkr_config: ", reason), std::move(next));
  };
  const auto no_array = [&](std::string_view name, std::string_view count_name, uint32_t count) {
    return invalid(cat(name, " is NULL, but ", count_name, " is ", count, "."), "Give the array, or the count 0.");
  };
  if (config->flags & ~known) {
    return invalid(cat("flags has bits that are not known: ", config->flags & ~known, "."),
                   "Set BKR_CONFIG_… flags only; if the bits are of a newer header, update the library.");
  }
  if (config->log_level < 0 || config->log_level > BKR_LOG_OFF) {
    return invalid(cat("log_level is ", config->log_level, ", which is no level."), "Set a BKR_LOG_… level, or 0.");
  }
  if (config->search_dir_count > 0 && !config->search_dirs) {
    return no_array("search_dirs", "search_dir_count", config->search_dir_count);
  }
  if (config->service_count > 0 && !config->services) {
    return no_array("services", "service_count", config->service_count);
  }
  if (config->reserved0 != 0) return invalid("reserved0 is not zero.", "Set the whole struct to zero first.");
  settings.flags = config->flags;
  settings.log_level = config->log_level;
  settings.log = config->log;
  settings.log_user = config->log_user;
  for (uint32_t i = 0; i < config->search_dir_count; ++i) {
    const char *directory = config->search_dirs[i];
    if (!directory || !*directory) {
      return invalid(cat("search_dirs[", i, "] is ", directory ? "empty." : "NULL."),
                     "Give a directory, or leave the entry out.");
    }
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(directory, error);
    if (error) {
      Failure failure{BKR_INVALID_ARGUMENT, BKR_STAGE_NONE,
                      cat("bkr_config: search_dirs[", i, "] '", directory,
                          "' is relative, but the working directory cannot be told: ", error.message(), "."),
                      "Give an absolute path.", error.value()};
      return fail(std::move(failure));
    }
    settings.search_dirs.push_back(absolute.string());
  }
  for (uint32_t i = 0; i < config->service_count; ++i) {
    const bkr_service &service = config->services[i];
    if (!service.id || !*service.id || !service.table) {
      return invalid(cat("services[", i, "] lacks its id or table."), "Give both, or leave the service out.");
    }
    settings.services.emplace_back(service.id, service.table);
  }
  return settings;
}

int32_t log_level(const Settings &settings, const Environment &environment) {
  if (settings.log_level != 0) return settings.log_level;
  return log_level_from(environment.get("BKR_LOG")).value_or(BKR_LOG_WARN);
}

namespace {

// 1 up to kMostThreads, or 0 for any other text.
uint32_t thread_count_from(std::string_view text) {
  uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc{} && end == text.data() + text.size() && count <= kMostThreads ? count : 0;
}

}  // namespace

uint32_t thread_count(const Environment &environment) {
  const uint32_t asked = thread_count_from(environment.get("BKR_NUM_THREADS"));
  return asked > 0 ? asked : std::min(usable_cpus(), kMostThreads);
}

SearchSettings search_settings(const Settings &settings, const Environment &environment) {
  SearchSettings search;
  search.config_dirs = settings.search_dirs;
  search.plugin_path = environment.get("BKR_PLUGIN_PATH");
  search.working_dir = settings.working_dir;
  search.xdg_data_home = environment.xdg_data_home();
  search.home = environment.home();
  search.default_dirs = !(settings.flags & BKR_CONFIG_NO_DEFAULT_DIRS) && environment.get("BKR_DEFAULT_DIRS") != "0";
  return search;
}

std::string cache_dir(const Settings &settings, const Environment &environment) {
  const std::string variable = environment.get("BKR_CACHE");
  const bool asked = variable == "1" || ((settings.flags & BKR_CONFIG_SCAN_CACHE) != 0 && variable != "0");
  if (!asked || environment.elevated()) return {};
  if (is_absolute(environment.xdg_cache_home())) return cat(environment.xdg_cache_home(), "/backend_registry");
  if (is_absolute(environment.home())) return cat(environment.home(), "/.cache/backend_registry");
  return {};
}

Filters filters(const Environment &environment) {
  return {environment.get("BKR_ENABLE"), environment.get("BKR_DISABLE")};
}

OverrideEnvironment overrides(const Environment &environment) {
  OverrideEnvironment found;
  if (environment.elevated()) return found;
  for (const Variable &variable : environment.settings()) {
    if (variable.name.starts_with(kOverridePrefix)) found.emplace(variable.name, variable.value);
  }
  return found;
}

std::string select_variable(std::string_view family) {
  return "BKR_SELECT_" + override_variable(family, "").substr(kOverridePrefix.size(), family.size());
}

namespace {

constexpr std::string_view kSettings[] = {"BKR_PLUGIN_PATH", "BKR_DEFAULT_DIRS", "BKR_ENABLE", "BKR_DISABLE",
                                          "BKR_LOG",         "BKR_NUM_THREADS",  "BKR_CACHE"};

// Every variable that means something now.
std::vector<std::string> known_variables(const FamilySet &families) {
  std::vector<std::string> known(std::begin(kSettings), std::end(kSettings));
  for (const Family *family = families.first(); family; family = family->next()) {
    known.push_back(select_variable(family->texts().name));
    for (uint32_t number = 0; number < family->size(); ++number) {
      known.push_back(override_variable(family->texts().name, family->at(number)->name()));
    }
  }
  return known;
}

}  // namespace

std::vector<VariableUse> variable_uses(const Environment &environment, const FamilySet &families) {
  std::vector<VariableUse> uses;
  std::vector<std::string> known;  // made when it is needed: members are many
  for (const Variable &variable : environment.settings()) {
    VariableUse &use = uses.emplace_back(VariableUse{&variable, "unknown", "", 0});
    if (environment.elevated()) {
      use.state = "ignored: elevated";
    } else if (std::count(std::begin(kSettings), std::end(kSettings), variable.name) > 0) {
      use.state = "used";
    } else {
      if (known.empty()) known = known_variables(families);
      const auto count = static_cast<int>(std::count(known.begin(), known.end(), variable.name));
      if (count > 0) use.state = "used";
      if (count > 0 && variable.name.starts_with(kOverridePrefix)) use.members = count;
      if (count == 0) use.nearest = nearest(variable.name, known, 2);
    }
  }
  return uses;
}

std::vector<std::string> environment_warnings(const Environment &environment, const FamilySet &families) {
  std::vector<std::string> warnings;
  if (environment.elevated()) {
    std::vector<std::string> ignored;
    for (const Variable &variable : environment.settings()) ignored.push_back(variable.name);
    if (!ignored.empty()) {
      warnings.push_back(cat("This process is elevated, so the environment is ignored: ", join(ignored),
                             ". Set in bkr_config what it shall use."));
    }
    return warnings;
  }
  for (const VariableUse &use : variable_uses(environment, families)) {
    const Variable &variable = *use.variable;
    if (!use.nearest.empty()) {
      warnings.push_back(cat(variable.name, " is set but means nothing; did you mean ", use.nearest, "?"));
    }
    if (use.members > 1) {
      warnings.push_back(
          cat(variable.name, " names ", use.members, " members of different families; each is overridden."));
    }
  }
  const std::string level = environment.get("BKR_LOG");
  if (!level.empty() && !log_level_from(level)) {
    warnings.push_back(
        cat("BKR_LOG is '", level, "'; it takes trace, debug, info, warn, err, critical or off. Using warn."));
  }
  const std::string cache = environment.get("BKR_CACHE");
  if (!cache.empty() && cache != "0" && cache != "1") {
    warnings.push_back(cat("BKR_CACHE is '", cache, "'; it takes 1 to keep what is read of plugins, or 0."));
  }
  const std::string threads = environment.get("BKR_NUM_THREADS");
  if (!threads.empty() && thread_count_from(threads) == 0) {
    warnings.push_back(cat("BKR_NUM_THREADS is '", threads, "'; it takes a number from 1 to ", kMostThreads,
                           ". Using one thread for each CPU, ", thread_count(environment), "."));
  }
  for (Family *family = families.first(); family; family = family->next()) {
    for (uint32_t number = 0; number < family->size(); ++number) {
      const TaggedPath<PathSource> path = family->at(number)->effective();
      if (path.tag() != PathSource::environment) continue;
      const std::string_view text = path.path()->text();
      if (const Result<std::string> good = check_path(text, parse_path(text)); !good) {
        warnings.push_back(cat(override_variable(family->texts().name, family->at(number)->name()), ": ",
                               good.error().reason, " The member cannot be used until that is corrected."));
      }
    }
  }
  return warnings;
}

}  // namespace bkr::core
