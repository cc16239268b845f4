// SPDX-License-Identifier: Apache-2.0
#include "loading_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

extern char **environ;

namespace loading {

namespace {

// The settings of whoever runs the tests are none of the tests' own.
const std::map<std::string, std::string> settings_taken_away = [] {
  std::map<std::string, std::string> settings;
  for (char **entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (text.starts_with("BKR_")) settings.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const auto &[name, value] : settings) ::unsetenv(name.c_str());
  return settings;
}();

std::mutex code_mutex;
std::vector<std::string> code_files;
std::function<void()> next_code_does;
std::atomic<std::function<void()> *> next_end_does{nullptr};

template <class Call>
Json document(const Call &call) {
  std::size_t need = 0;
  std::string text;
  Answer answer = say([&](bkr_error *error) { return call(nullptr, 0, &need, error); });
  do {
    text.resize(need);
    answer = say([&](bkr_error *error) { return call(text.data(), text.size(), &need, error); });
  } while (answer.status == BKR_BUFFER_TOO_SMALL);  // it has grown meanwhile
  EXPECT_TRUE(ok(answer));
  return Json::parse(text.c_str(), nullptr, false);
}

std::vector<bkr_option> borrowed(const Options &options) {
  std::vector<bkr_option> all;
  for (const auto &[key, value] : options) all.push_back({key.c_str(), value.c_str()});
  return all;
}

}  // namespace

TempDir::TempDir() {
  std::string name =
      std::filesystem::canonical(std::filesystem::temp_directory_path()).string() + "/bkr-loading-XXXXXX";
  if (!::mkdtemp(name.data()) || ::chmod(name.c_str(), 0755) != 0) std::abort();
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::drop(const PluginBytes &plugin, std::string_view name) const {
  return drop(std::string_view(plugin.bytes()), name);
}

std::string TempDir::drop(std::string_view text, std::string_view name) const {
  // Written beside and moved: code that is mapped under this name stays whole.
  const std::string path = *this / name;
  const std::string beside = *this / ".being-written";
  std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  EXPECT_TRUE(stream.good()) << beside;
  ::chmod(beside.c_str(), 0755);
  std::filesystem::rename(beside, path);
  return path;
}

void TempDir::settle() const {
  for (const auto &entry : std::filesystem::directory_iterator(path_)) {
    std::filesystem::last_write_time(entry, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
}

std::string setting_of_the_run(const std::string &name) {
  const auto found = settings_taken_away.find(name);
  return found == settings_taken_away.end() ? "" : found->second;
}

Variable::Variable(std::string name, const std::string &value) : name_(std::move(name)) {
  if (const char *now = std::getenv(name_.c_str())) {
    was_set_ = true;
    before_ = now;
  }
  ::setenv(name_.c_str(), value.c_str(), 1);
}

Variable::~Variable() {
  if (was_set_) {
    ::setenv(name_.c_str(), before_.c_str(), 1);
  } else {
    ::unsetenv(name_.c_str());
  }
}

testing::AssertionResult ok(const Answer &answer) {
  if (answer.status == BKR_OK) return testing::AssertionSuccess();
  return testing::AssertionFailure() << bkr_status_name(answer.status) << " at stage " << answer.stage << ": "
                                     << answer.text;
}

testing::AssertionResult failed(const Answer &answer, bkr_status status, int32_t stage,
                                std::initializer_list<std::string> words) {
  if (answer.status != status || answer.stage != stage) {
    return testing::AssertionFailure() << bkr_status_name(answer.status) << " at stage " << answer.stage
                                       << " instead of " << bkr_status_name(status) << " at stage " << stage << ": "
                                       << answer.text;
  }
  return has(answer.text, words);
}

testing::AssertionResult has(std::string_view text, std::initializer_list<std::string> words) {
  for (const std::string &word : words) {
    if (text.find(word) == std::string_view::npos) {
      return testing::AssertionFailure() << "'" << word << "' is not in the text: " << text;
    }
  }
  return testing::AssertionSuccess();
}

const loading_probe &Backend::probe() const {
  const void *table = nullptr;
  EXPECT_EQ(bkr_backend_get_interface(backend_, LOADING_PROBE, &table, nullptr), BKR_OK);
  if (!table) std::abort();
  return *static_cast<const loading_probe *>(table);
}

Registry::Registry(const Configuration &configuration) {
  std::vector<const char *> dirs;
  for (const std::string &dir : configuration.dirs) dirs.push_back(dir.c_str());
  bkr_config config = {};
  config.struct_size = sizeof config;
  config.flags = configuration.flags | (configuration.default_dirs ? 0 : BKR_CONFIG_NO_DEFAULT_DIRS);
  config.search_dirs = dirs.data();
  config.search_dir_count = static_cast<uint32_t>(dirs.size());
  config.log_level = configuration.log_level;
  if (configuration.own_log) {
    config.log = on_log;
    config.log_user = this;
  }
  config.services = configuration.services.data();
  config.service_count = static_cast<uint32_t>(configuration.services.size());
  const Answer opened = say([&](bkr_error *error) { return bkr_registry_open(&config, &registry_, error); });
  EXPECT_TRUE(ok(opened));
  if (!registry_) std::abort();
}

void BKR_CALL Registry::on_log(void *user, int32_t level, const char *text, std::size_t len) {
  auto *self = static_cast<Registry *>(user);
  const std::lock_guard lock(self->mutex_);
  self->log_.push_back({level, std::string(text, len)});
}

bkr_family *Registry::family(const std::string &name) const {
  bkr_family *found = nullptr;
  EXPECT_EQ(bkr_family_find(registry_, name.c_str(), &found, nullptr), BKR_OK) << name;
  return found;
}

bkr_member *Registry::member(const std::string &name, const std::string &family_name) const {
  bkr_member *found = nullptr;
  bkr_member_find(family(family_name), name.c_str(), &found, nullptr);
  return found;
}

Answer Registry::find(const std::string &name, const std::string &family_name) const {
  bkr_member *found = nullptr;
  return say([&](bkr_error *error) { return bkr_member_find(family(family_name), name.c_str(), &found, error); });
}

Answer Registry::load(const std::string &name, const std::string &family_name) const {
  bkr_factory *factory = nullptr;
  const bkr_member *found = member(name, family_name);
  if (!found) return find(name, family_name);
  return say([&](bkr_error *error) { return bkr_member_load(found, &factory, error); });
}

Answer Registry::resolve(const std::string &name, const std::string &family_name) const {
  bkr_target target = {};
  target.struct_size = sizeof target;
  const bkr_member *found = member(name, family_name);
  if (!found) return find(name, family_name);
  return say([&](bkr_error *error) { return bkr_member_resolve(found, &target, error); });
}

Answer Registry::load_path(const std::string &path, const std::string &family_name) const {
  bkr_factory *factory = nullptr;
  return say([&](bkr_error *error) { return bkr_path_load(family(family_name), path.c_str(), &factory, error); });
}

Answer Registry::resolve_path(const std::string &path, const std::string &family_name) const {
  bkr_target target = {};
  target.struct_size = sizeof target;
  return say([&](bkr_error *error) { return bkr_path_resolve(family(family_name), path.c_str(), &target, error); });
}

Made Registry::open(const std::string &name, const Options &options, const std::string &family_name) const {
  const std::vector<bkr_option> all = borrowed(options);
  bkr_backend *backend = nullptr;
  Made made;
  made.answer = say([&](bkr_error *error) {
    return bkr_backend_open(registry_, family_name.c_str(), name.c_str(), all.data(), static_cast<uint32_t>(all.size()),
                            &backend, error);
  });
  EXPECT_EQ(backend != nullptr, made.answer.status == BKR_OK);
  made.backend = Backend(backend);
  return made;
}

Made Registry::open_path(const std::string &path, const std::string &family_name) const {
  bkr_factory *factory = nullptr;
  bkr_backend *backend = nullptr;
  Made made;
  made.answer = say([&](bkr_error *error) {
    const bkr_status status = bkr_path_load(family(family_name), path.c_str(), &factory, error);
    return status == BKR_OK ? bkr_factory_create(factory, nullptr, 0, &backend, error) : status;
  });
  made.backend = Backend(backend);
  return made;
}

Json Registry::report() const {
  return document([&](auto... to) { return bkr_registry_report(registry_, to...); });
}

Json Registry::explain(const std::string &name, const std::string &family_name) const {
  return document([&](auto... to) { return bkr_member_explain(member(name, family_name), to...); });
}

Json inspect(const std::string &file) {
  return document([&](auto... to) { return bkr_inspect(file.c_str(), to...); });
}

std::string last_component(const std::string &path) { return path.substr(path.rfind('/') + 1); }

Json Registry::file(const std::string &name) const {
  Json found;
  int count = 0;
  const Json all = report()["files"];
  for (const Json &entry : all) {
    if (last_component(entry["path"]) != name) continue;
    found = entry;
    ++count;
  }
  EXPECT_EQ(count, 1) << name << " in " << all.dump(1);
  return found;
}

std::vector<std::string> Registry::files() const {
  std::vector<std::string> names;
  const Json all = report()["files"];
  for (const Json &entry : all) names.push_back(last_component(entry["path"]));
  return names;
}

Answer Registry::rescan() const {
  return say([&](bkr_error *error) { return bkr_registry_rescan(registry_, error); });
}

std::vector<LogLine> Registry::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

int Registry::logged(std::initializer_list<std::string> words) const {
  const std::vector<LogLine> lines = log();
  return static_cast<int>(
      std::count_if(lines.begin(), lines.end(), [&](const LogLine &line) { return bool{has(line.text, words)}; }));
}

std::vector<std::string> code_that_ran_in(const TempDir &dir) {
  const std::lock_guard lock(code_mutex);
  std::vector<std::string> found;
  for (const std::string &file : code_files) {
    if (file.starts_with(dir.path() + "/")) found.push_back(file);
  }
  return found;
}

void when_code_runs_next(std::function<void()> work) {
  const std::lock_guard lock(code_mutex);
  next_code_does = std::move(work);
}

void when_code_ends_next(std::function<void()> work) {
  delete next_end_does.exchange(new std::function<void()>(std::move(work)));
}

std::vector<std::string> mapped_in(const TempDir &dir) {
  std::set<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t at = line.find(dir.path() + "/");
    if (at != std::string::npos) found.insert(line.substr(at));
  }
  return {found.begin(), found.end()};
}

}  // namespace loading

extern "C" __attribute__((visibility("default"))) void loading_code_runs(const char *file) {
  std::function<void()> work;
  {
    const std::lock_guard lock(loading::code_mutex);
    loading::code_files.emplace_back(file);
    work.swap(loading::next_code_does);
  }
  if (work) work();
}

extern "C" __attribute__((visibility("default"))) void loading_code_ends(const char *) {
  const std::unique_ptr<std::function<void()>> work(loading::next_end_does.exchange(nullptr));
  if (work) (*work)();
}
