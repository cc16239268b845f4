// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <gtest/gtest.h>

extern "C" char **environ;

namespace bkr::core {
namespace {

// What is captured of an environment with these entries; the real one is put back.
Environment capture(std::vector<std::string> entries) {
  std::vector<char *> pointers;
  for (std::string &entry : entries) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  char **const real = environ;
  environ = pointers.data();
  Environment captured = Environment::capture(true);
  environ = real;
  return captured;
}

TEST(Environment, HoldsWhatIsSetAndNotEmptyInOrder) {
  const Environment environment = capture({"BKR_Z=1", "OTHER=2", "BKR_A=3=4", "BKR_EMPTY=", "BKR_NOTHING"});
  ASSERT_EQ(environment.settings().size(), 2u);
  EXPECT_EQ(environment.settings()[0].name, "BKR_A");
  EXPECT_EQ(environment.settings()[0].value, "3=4");
  EXPECT_EQ(environment.settings()[1].name, "BKR_Z");
  EXPECT_EQ(environment.get("BKR_EMPTY"), "");
}

// A name that is set twice, as execve() allows, means to us what it means to getenv() and to whoever checked it.
TEST(Environment, OfOneThatIsSetTwiceTheFirstCounts) {
  std::vector<std::string> entries = {"BKR_OFF=", "BKR_OFF=second"};
  for (int i = 0; i < 40; ++i) entries.push_back("BKR_LOG=" + std::to_string(i));
  const Environment environment = capture(entries);
  EXPECT_EQ(environment.get("BKR_LOG"), "0");
  EXPECT_EQ(environment.get("BKR_OFF"), "");
  EXPECT_EQ(environment.settings().size(), 1u);
}

}  // namespace
}  // namespace bkr::core
