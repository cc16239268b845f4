// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_ENVIRONMENT_H
#define BKR_BASE_ENVIRONMENT_H

#include <string>
#include <string_view>
#include <vector>

namespace bkr::core {

struct Variable {
  std::string name;
  std::string value;
};

// The process's environment as it was at one moment: the BKR_ variables that are set and not empty, and where the
// user's data lie. In an elevated process nothing of it counts.
class Environment {
 public:
  // `with_settings` false: the BKR_ variables are not read at all.
  static Environment capture(bool with_settings);

  bool elevated() const noexcept { return elevated_; }

  // A BKR_ variable's value; empty if it is not set, or is ignored.
  std::string get(std::string_view name) const;

  // Every BKR_ variable that is set, by name, ignored or not.
  const std::vector<Variable> &settings() const noexcept { return settings_; }

  const std::string &home() const noexcept { return home_; }
  const std::string &xdg_data_home() const noexcept { return xdg_data_home_; }
  const std::string &xdg_cache_home() const noexcept { return xdg_cache_home_; }

 private:
  bool elevated_ = false;
  std::vector<Variable> settings_;
  std::string home_;
  std::string xdg_data_home_;
  std::string xdg_cache_home_;
};

}  // namespace bkr::core

#endif  // BKR_BASE_ENVIRONMENT_H
