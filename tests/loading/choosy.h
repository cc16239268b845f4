// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_LOADING_CHOOSY_FIXTURE_H
#define BKR_TESTS_LOADING_CHOOSY_FIXTURE_H

#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "loading_fixture.h"
#include "plugins/choosy.h"

namespace loading {

// What the copies of plugins/choosy.cpp do while it lives: each serves everything, unless a test says otherwise.
class Choosy {
 public:
  using Does = std::function<bkr_status(choosy_call &)>;

  Choosy();
  ~Choosy();
  Choosy(const Choosy &) = delete;

  // Its validate gives these reasons.
  void objects(const std::string &name, std::vector<std::string> reasons);
  // A function of it ("create", "validate", "name", "destroy") does this instead.
  void does(const std::string &name, const std::string &function, Does work);

  // "create FAST", "validate FAST", …: all but "name", in order.
  std::vector<std::string> calls() const;
  void forget_calls();

  bkr_status answer(choosy_call &call);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Does> does_;  // by "function NAME"
  std::vector<std::string> calls_;
};

// choosy.so under a name and a priority of its own.
PluginBytes choosy(std::string_view name, int32_t priority = 0);

// What bkr_select() is asked.
struct Asked {
  Options facts = {};
  std::vector<std::string> candidates = {};
  const char *explicit_name = nullptr;
  std::string family = "attention";
};

// What it answered.
struct Selected {
  Answer answer;
  std::string choice;  // empty: none
  Json report;         // null: none

  // The reasons against a candidate.
  std::vector<std::string> reasons(const std::string &name) const;
  // "A turned down, B chosen, C not tried".
  std::string verdicts() const;
};

Selected select(const Registry &registry, const Asked &asked = {});

}  // namespace loading

#endif  // BKR_TESTS_LOADING_CHOOSY_FIXTURE_H
