// SPDX-License-Identifier: Apache-2.0
#include "child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace {

std::vector<std::string> make_environment(const Variables &variables) {
  std::vector<std::string> environment;
  for (char **entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("BKR_") && !variables.contains(std::string(text.substr(0, text.find('='))))) {
      environment.emplace_back(text);
    }
  }
  for (const auto &[name, value] : variables) environment.push_back(name + "=" + value);
  return environment;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> result;
  for (std::string &text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Finished run_program(const std::vector<std::string> &command, const Variables &variables,
                     const std::filesystem::path &scratch, const std::filesystem::path &out_file) {
  const std::filesystem::path out = out_file.empty() ? scratch / "stdout" : out_file;
  const std::filesystem::path err = scratch / "stderr";
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = make_environment(variables);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed = posix_spawn(&child, command.front().c_str(), &actions, nullptr, pointers(arguments).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + command.front());

  int status = 0;
  waitpid(child, &status, 0);
  Finished finished;
  if (WIFEXITED(status)) finished.exit_code = WEXITSTATUS(status);
  if (out_file.empty()) finished.out = read_bytes(out);
  finished.err = read_bytes(err);
  return finished;
}

std::string read_bytes(const std::filesystem::path &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_bytes(const std::filesystem::path &file, const std::string &bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}
