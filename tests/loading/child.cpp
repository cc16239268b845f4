// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <grp.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace loading {

namespace {

// Long enough for any child under any sanitizer on a busy machine.
constexpr unsigned kHangSeconds = 120;

std::string take(FILE *file) {
  std::string text;
  std::rewind(file);
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  std::fclose(file);
  return text;
}

Child wait_for(pid_t process) {
  int status = 0;
  while (process > 0 && ::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  Child child;
  if (WIFEXITED(status)) child.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) child.signal = WTERMSIG(status);
  return child;
}

Child run(const std::function<void()> &work) {
  FILE *out = std::tmpfile();
  FILE *err = std::tmpfile();
  if (!out || !err) std::abort();
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(::fileno(out), STDOUT_FILENO);
    ::dup2(::fileno(err), STDERR_FILENO);
    ::alarm(kHangSeconds);
    work();
    std::fflush(nullptr);
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  Child child = wait_for(pid);
  child.out = take(out);
  child.err = take(err);
  return child;
}

void execute(const std::string &program, const std::vector<std::string> &arguments,
             const std::vector<std::pair<std::string, std::string>> &variables) {
  for (const auto &[name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char *> argv = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments) argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  std::perror(program.c_str());
  ::_exit(126);
}

// A group that this process may give a file to and that it does not run with.
bool find_other_group(gid_t &group) {
  if (::geteuid() == 0) {
    group = 65534;
    return true;
  }
  gid_t groups[256];
  const int count = ::getgroups(256, groups);
  for (int i = 0; i < count; ++i) {
    if (groups[i] != ::getegid()) {
      group = groups[i];
      return true;
    }
  }
  return false;
}

}  // namespace

testing::AssertionResult Child::ended_well() const {
  if (exit_code == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the child ended with exit code " << exit_code << ", signal " << signal
                                     << "\nstdout:\n"
                                     << out << "\nstderr:\n"
                                     << err;
}

testing::AssertionResult ended_well(pid_t process) { return wait_for(process).ended_well(); }

Child in_child(const std::function<void()> &work) { return run(work); }

Child in_child_without_root(const std::function<void()> &work) {
  return run([&] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
      std::perror("cannot become nobody");
      ::_exit(126);
    }
    work();
  });
}

Child run_child(const std::vector<std::string> &arguments,
                const std::vector<std::pair<std::string, std::string>> &variables) {
  return run([&] { execute(LOADING_CHILD, arguments, variables); });
}

Child run_opener(const std::vector<std::string> &arguments) {
  std::vector<std::string> all = {LOADING_REGISTRY};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run([&] { execute(LOADING_OPENER, all, {}); });
}

Child run_elevated_child(const std::string &directory, const std::vector<std::string> &arguments,
                         const std::vector<std::pair<std::string, std::string>> &variables) {
  Child cannot;
  cannot.exit_code = kCannotElevate;
  gid_t group = 0;
  if (!find_other_group(group)) return cannot;
  const std::string program = directory + "/elevated_child";
  std::filesystem::copy_file(LOADING_CHILD, program);
  if (::chown(program.c_str(), static_cast<uid_t>(-1), group) != 0 || ::chmod(program.c_str(), 02755) != 0) {
    return cannot;
  }
  const Child asked = run([&] { execute(program, {"elevated"}, {}); });
  if (asked.exit_code != 0) return cannot;
  return run([&] { execute(program, arguments, variables); });
}

}  // namespace loading
