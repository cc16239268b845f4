// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_NAMES_H
#define BKR_TESTS_BENCH_NAMES_H

// A registry with 1,000 members, and the one that one would write by hand: an unordered_map behind a shared_mutex.
#include <backend_registry/registry.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace bkr::bench {

constexpr int kMembers = 1000;

inline std::string name_of(int i) { return "DYNAMIC_BACKEND_" + std::to_string(i); }
inline std::string path_of(int i) { return "some.engine.attention.backends.number" + std::to_string(i) + ".Backend"; }

[[noreturn]] inline void give_up(const char *what) {
  std::fprintf(stderr, "names_bench: %s failed\n", what);
  std::exit(1);
}

// Members in a family of their own, and what they cost.
struct Registry {
  explicit Registry(int count = kMembers) {
    bkr_config config{};
    config.struct_size = sizeof config;
    config.flags = BKR_CONFIG_NO_ENVIRONMENT | BKR_CONFIG_NO_DEFAULT_DIRS;
    if (bkr_registry_open(&config, &registry, nullptr) != BKR_OK) give_up("bkr_registry_open");
    if (bkr_family_add(registry, "bench", "bench backend", &family, nullptr) != BKR_OK) give_up("bkr_family_add");
    std::size_t text = 0;
    for (int i = 0; i < count; ++i) {
      names.push_back(name_of(i));
      paths.push_back(path_of(i));
      text += names.back().size() + 1 + paths.back().size() + 1;
    }
    members.resize(static_cast<std::size_t>(count));
    const auto in_use = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
    const std::size_t before = in_use();
    for (int i = 0; i < count; ++i) {
      if (bkr_member_register(family, names[static_cast<std::size_t>(i)].c_str(),
                              paths[static_cast<std::size_t>(i)].c_str(), &members[static_cast<std::size_t>(i)],
                              nullptr) != BKR_OK) {
        give_up("bkr_member_register");
      }
    }
    bytes_per_member = static_cast<double>(in_use() - before - text) / count;
  }
  bkr_registry *registry = nullptr;
  bkr_family *family = nullptr;
  std::vector<std::string> names;
  std::vector<std::string> paths;
  std::vector<bkr_member *> members;
  double bytes_per_member = 0;
};

inline Registry &registry() {
  static auto *const made = new Registry();
  return *made;
}

// The rival: correct under threads, and what one writes first.
class LockedMap {
 public:
  void set(const std::string &name, std::string path) {
    const std::unique_lock lock(mutex_);
    paths_[name] = std::move(path);
  }
  std::string get(const std::string &name) const {
    const std::shared_lock lock(mutex_);
    return paths_.find(name)->second;
  }
  const std::string *find(const std::string &name) const {
    const std::shared_lock lock(mutex_);
    const auto found = paths_.find(name);
    return found == paths_.end() ? nullptr : &found->second;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::string> paths_;
};

inline LockedMap &locked_map() {
  static auto *const made = [] {
    auto *map = new LockedMap();
    for (int i = 0; i < kMembers; ++i) map->set(name_of(i), path_of(i));
    return map;
  }();
  return *made;
}

}  // namespace bkr::bench

#endif  // BKR_TESTS_BENCH_NAMES_H
