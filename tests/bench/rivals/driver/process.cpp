// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>

namespace rivals {

namespace {

class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string> &more) {
    for (char **entry = environ; *entry != nullptr; ++entry) {
      const std::string text = *entry;
      if (!more.contains(text.substr(0, text.find('=')))) texts_.push_back(text);
    }
    for (const auto &[name, value] : more) texts_.push_back(name + "=" + value);
    for (std::string &text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char *const *get() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char *> pointers_;
};

bool ended_well(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::optional<std::string> output_of(const Command &command, const std::map<std::string, std::string> &more) {
  std::vector<char *> arguments;
  for (const std::string &word : command) arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), Environment(more).get());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char bytes[4096];
  ssize_t count = 0;
  while (failed == 0 && (count = read(ends[0], bytes, sizeof bytes)) > 0) {
    text.append(bytes, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (failed != 0 || !ended_well(child)) return std::nullopt;
  return text;
}

double start_time(const std::string &program) {
  char *const arguments[] = {const_cast<char *>(program.c_str()), nullptr};
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0 || !ended_well(child)) {
    throw std::runtime_error(program + " does not run");
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace rivals
