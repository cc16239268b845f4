// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_LOADING_LOADING_FIXTURE_H
#define BKR_TESTS_LOADING_LOADING_FIXTURE_H

#include <backend_registry/backend_registry.h>
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin_bytes.h"
#include "plugins/probe.h"

namespace loading {

using Json = nlohmann::json;

// A fresh directory that is gone, with all in it, at the end of the test. Its path is canonical; anybody may read it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir &) = delete;
  TempDir &operator=(const TempDir &) = delete;

  const std::string &path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Puts a file into the directory, a new one even if there is one of that name; returns its path.
  std::string drop(const PluginBytes &plugin, std::string_view name) const;
  std::string drop(std::string_view text, std::string_view name) const;

  // Waits until the scan cache keeps what is read of the files in it: none of them was written within the last minute,
  // and none changed within the last two seconds.
  void settle() const;

 private:
  std::string path_;
};

// An environment variable that is set (or, without a value, unset) for a while.
class Variable {
 public:
  Variable(std::string name, const std::string &value);
  ~Variable();
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

 private:
  std::string name_;
  bool was_set_ = false;
  std::string before_;
};

// The value that a BKR_ variable had for whoever runs the tests, which see none of them; empty if it had none.
std::string setting_of_the_run(const std::string &name);

// What a call said.
struct Answer {
  bkr_status status = BKR_OK;
  int32_t stage = BKR_STAGE_NONE;
  int32_t native_code = 0;
  std::string text;
};

testing::AssertionResult ok(const Answer &answer);

// The call failed with this status at this stage, and its text has all these words in it.
testing::AssertionResult failed(const Answer &answer, bkr_status status, int32_t stage,
                                std::initializer_list<std::string> words);

// All these words are in the text.
testing::AssertionResult has(std::string_view text, std::initializer_list<std::string> words);

// Makes a call that takes a bkr_error: say([&](bkr_error *error) { return bkr_…(…, error); }).
template <class Call>
Answer say(const Call &call) {
  std::vector<char> text(1 << 16);
  bkr_error error = {sizeof(bkr_error), 0, 0, static_cast<uint32_t>(text.size()), text.data(), 0, 0};
  Answer answer;
  answer.status = call(&error);
  if (answer.status == BKR_OK) return answer;
  EXPECT_EQ(error.code, answer.status);
  EXPECT_EQ(error.msg_len, std::string_view(text.data()).size());
  answer.stage = error.stage;
  answer.native_code = error.native_code;
  answer.text = text.data();
  return answer;
}

// A backend that is destroyed at the end, if there is one.
class Backend {
 public:
  Backend() = default;
  explicit Backend(bkr_backend *backend) : backend_(backend) {}
  Backend(Backend &&other) noexcept : backend_(std::exchange(other.backend_, nullptr)) {}
  Backend &operator=(Backend &&other) noexcept {
    std::swap(backend_, other.backend_);
    return *this;
  }
  ~Backend() { bkr_backend_destroy(backend_); }

  bkr_backend *get() const { return backend_; }
  void destroy() { bkr_backend_destroy(std::exchange(backend_, nullptr)); }
  std::string name() const { return bkr_backend_name(backend_); }
  const loading_probe &probe() const;
  std::string code() const { return probe().code(); }
  std::string family() const { return probe().family(backend_); }
  std::string path() const { return probe().path(backend_); }

 private:
  bkr_backend *backend_ = nullptr;
};

struct Made {
  Answer answer;
  Backend backend;
};

struct LogLine {
  int32_t level;
  std::string text;
};

struct Configuration {
  std::vector<std::string> dirs = {};
  uint32_t flags = 0;  // besides BKR_CONFIG_NO_DEFAULT_DIRS, which almost all tests want
  int32_t log_level = 0;
  std::vector<bkr_service> services = {};
  bool own_log = true;  // else its lines go to stderr
  bool default_dirs = false;
};

using Options = std::vector<std::pair<std::string, std::string>>;

// A registry with its log, that looks nowhere but where the test says.
class Registry {
 public:
  explicit Registry(const Configuration &configuration = {});
  explicit Registry(const TempDir &dir) : Registry(Configuration{{dir.path()}}) {}
  ~Registry() { close(); }
  Registry(const Registry &) = delete;
  Registry &operator=(const Registry &) = delete;

  bkr_registry *get() const { return registry_; }
  void close() { bkr_registry_close(std::exchange(registry_, nullptr)); }
  bkr_family *family(const std::string &name = "attention") const;

  // Null if there is no such member.
  bkr_member *member(const std::string &name, const std::string &family = "attention") const;

  Answer find(const std::string &name, const std::string &family = "attention") const;
  Answer load(const std::string &name, const std::string &family = "attention") const;
  Answer resolve(const std::string &name, const std::string &family = "attention") const;
  Answer load_path(const std::string &path, const std::string &family = "attention") const;
  Answer resolve_path(const std::string &path, const std::string &family = "attention") const;

  // Find, load, create: by a member's name, or by a path that no member has.
  Made open(const std::string &name, const Options &options = {}, const std::string &family = "attention") const;
  Made open_path(const std::string &path, const std::string &family = "attention") const;

  Json report() const;
  Json explain(const std::string &name, const std::string &family = "attention") const;
  // The report's entry of a file, by its last component; fails the test if there is not exactly one.
  Json file(const std::string &name) const;
  // The last components of all files in the report, in its order.
  std::vector<std::string> files() const;

  Answer rescan() const;
  std::vector<LogLine> log() const;
  // How many lines of the log have all these words.
  int logged(std::initializer_list<std::string> words) const;

 private:
  static void BKR_CALL on_log(void *user, int32_t level, const char *text, std::size_t len);
  mutable std::mutex mutex_;
  std::vector<LogLine> log_;
  bkr_registry *registry_ = nullptr;
};

// The document that bkr_inspect gives of a file.
Json inspect(const std::string &file);

std::string last_component(const std::string &path);

// The plugins of a directory whose constructors have run in this process, in that order.
std::vector<std::string> code_that_ran_in(const TempDir &dir);

// Calls `work` from the constructor of the plugin that is loaded next, on the thread that loads it; once.
void when_code_runs_next(std::function<void()> work);

// Calls `work` from the destructor of the plugin that is unloaded next; once.
void when_code_ends_next(std::function<void()> work);

// The files in a directory that are mapped into this process, sorted.
std::vector<std::string> mapped_in(const TempDir &dir);

}  // namespace loading

#endif  // BKR_TESTS_LOADING_LOADING_FIXTURE_H
