// SPDX-License-Identifier: Apache-2.0
// A process that may open no more files.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "child.h"
#include "loading_fixture.h"

namespace memory {
namespace {

using loading::built;
using loading::failed;
using loading::ok;
using loading::Registry;
using loading::TempDir;

// While it lives, this process may open `count` files more, and no others.
class DescriptorsLeft {
 public:
  explicit DescriptorsLeft(int count) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = 256;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    for (int taken = 0; (taken = ::open("/dev/null", O_RDONLY)) >= 0;) taken_.push_back(taken);
    for (; count > 0 && !taken_.empty(); --count) {
      ::close(taken_.back());
      taken_.pop_back();
    }
  }
  ~DescriptorsLeft() {
    for (const int taken : taken_) ::close(taken);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  DescriptorsLeft(const DescriptorsLeft &) = delete;
  DescriptorsLeft &operator=(const DescriptorsLeft &) = delete;

 private:
  rlimit before_ = {};
  std::vector<int> taken_;
};

TEST(OutOfDescriptors, OpenTellsWhatItCouldNotRead) {
  const TempDir dir;
  dir.drop(built("good"), "good.so");
  EXPECT_TRUE(
      loading::in_child([&] {
        for (int count = 0; count < 8; ++count) {
          SCOPED_TRACE(count);
          std::optional<Registry> registry;
          {
            const DescriptorsLeft few(count);
            registry.emplace(dir);
          }
          const loading::Json directory = registry->report()["directories"][0];
          if (registry->member("GOOD")) {
            EXPECT_EQ(directory["state"], "ok");
          } else if (directory["state"] == "ok") {
            EXPECT_EQ(registry->file("good.so")["status"], "BKR_IO_ERROR");
            EXPECT_TRUE(loading::has(registry->file("good.so")["reason"].get<std::string>(), {"Too many open files"}));
          } else {
            EXPECT_TRUE(loading::has(directory["state"].get<std::string>(), {"unreadable", "Too many open files"}));
          }
          ASSERT_TRUE(ok(registry->rescan()));
          EXPECT_TRUE(ok(registry->open("GOOD").answer));
        }
      }).ended_well());
}

TEST(OutOfDescriptors, RescanKeepsTheNamesAndLoadSaysWhy) {
  const TempDir dir;
  const std::string file = dir.drop(built("good"), "good.so");
  EXPECT_TRUE(loading::in_child([&] {
                const Registry registry(dir);
                bkr_member *member = registry.member("GOOD");
                {
                  const DescriptorsLeft none(0);
                  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_LOAD_FAILED, BKR_STAGE_LOAD,
                                     {"attention.GOOD", file, "Too many open files"}));
                  EXPECT_TRUE(failed(registry.load_path("/none.so"), BKR_NOT_FOUND, BKR_STAGE_OPEN, {"/none.so"}));
                  ASSERT_TRUE(ok(registry.rescan()));
                  EXPECT_EQ(registry.member("GOOD"), member);
                  EXPECT_TRUE(failed(registry.load("GOOD"), BKR_NOT_FOUND, BKR_STAGE_NONE,
                                     {"attention.GOOD", dir.path(), "Too many open files"}));
                }
                ASSERT_TRUE(ok(registry.rescan()));
                EXPECT_TRUE(ok(registry.open("GOOD").answer));
              }).ended_well());
}

}  // namespace
}  // namespace memory
