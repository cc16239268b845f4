// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_LOADING_CHILD_H
#define BKR_TESTS_LOADING_CHILD_H

#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace loading {

// How a child process ended, and what it wrote.
struct Child {
  int exit_code = -1;  // -1: it did not exit
  int signal = 0;      // what ended it; SIGALRM if it hung
  std::string out;
  std::string err;

  // It exited with 0.
  testing::AssertionResult ended_well() const;
};

// Runs `work` in a forked child, where it may crash, hang or change what belongs to the process. The child exits
// with 0 unless one of its expectations failed. `user`: the user to become before, where this process may.
Child in_child(const std::function<void()> &work);
Child in_child_without_root(const std::function<void()> &work);

// Waits for a process that the caller forked; it exited with 0.
testing::AssertionResult ended_well(pid_t process);

// Runs loading_child (loading_child.cpp says what it takes), with these variables besides the environment of now.
Child run_child(const std::vector<std::string> &arguments,
                const std::vector<std::pair<std::string, std::string>> &variables = {});

// Runs loading_opener (loading_opener.cpp) with the registry's library.
Child run_opener(const std::vector<std::string> &arguments);

// As run_child(), with a copy of the program that runs elevated, as a set-group-ID program does. Skip the test if it
// gives exit code 77: no group to do that with, or a file system that does not take part.
Child run_elevated_child(const std::string &directory, const std::vector<std::string> &arguments,
                         const std::vector<std::pair<std::string, std::string>> &variables);
inline constexpr int kCannotElevate = 77;

}  // namespace loading

#endif  // BKR_TESTS_LOADING_CHILD_H
