// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "commands.h"
#include "diagnostics.h"

namespace {

using bkr::tool::MemberName;

constexpr char kDescription[] =
    "bkr: which backend stands behind a name, which plugin provides it, and why.\n"
    "Only `bkr select` and `bkr run` run plugins' code; all other commands read files' bytes.";

constexpr char kCommandFooter[] = "`bkr --help` has examples, the environment's variables and the exit codes.";

constexpr char kFooter[] =
    "Examples:\n"
    "  bkr list attention                   what each name leads to, and what is missing\n"
    "  bkr show attention.CPU_ATTN          all facts of one backend\n"
    "  bkr why attention.CPU_ATTN           who decided, who was passed over, what to do\n"
    "  bkr scan                             every directory and file that is looked at\n"
    "  bkr scan build/plugins               only that directory\n"
    "  bkr inspect build/plugins/mine.so    what one file is\n"
    "  bkr select attention --fact head_size=128 --fact dtype=bfloat16\n"
    "                                       who serves that, and why others do not\n"
    "  bkr run attention.CPU_ATTN case.json compute a recorded case, compare the result\n"
    "  BKR_OVERRIDE_ATTENTION_CUSTOM=/opt/mine/libmine.so bkr why attention.CUSTOM\n"
    "\n"
    "Environment, as every host of the library reads it:\n"
    "  BKR_PLUGIN_PATH=dir:dir              more directories to search (a file is allowed)\n"
    "  BKR_DEFAULT_DIRS=0                   search those only\n"
    "  BKR_OVERRIDE_<FAMILY>_<NAME>=path    put a path in place of a name's default\n"
    "  BKR_SELECT_<FAMILY>=NAME             choose that one, if the host leaves the choice open\n"
    "  BKR_ENABLE, BKR_DISABLE=glob,glob    use only, or do not use, these plugins\n"
    "  BKR_LOG=trace|debug|info|warn|err|critical|off\n"
    "\n"
    "Exit codes:\n"
    "  0  done\n"
    "  1  what was asked about does not exist (family, name, file, directory), leads to no usable\n"
    "     provider (show, why, run), is served by nobody (select), is no usable plugin (inspect),\n"
    "     or differs from what was recorded (run)\n"
    "  2  the command line is wrong";

std::string version_text() {
  const uint32_t abi = bkr::abi_version();
  return "bkr " + std::string(bkr::version()) + " (plugin ABI " + std::to_string(abi >> 16) + "." +
         std::to_string(abi & 0xFFFFu) + ")";
}

// What the command line asks for. Only one command's arguments are filled.
struct Request {
  std::string family, member, file;
  std::vector<std::string> dirs, facts, candidates;
  bool json = false;
  std::function<int()> command;
};

CLI::App *add_command(CLI::App &app, Request &request, const char *name, const char *description,
                      std::function<int()> command) {
  CLI::App *added = app.add_subcommand(name, description);
  added->footer(kCommandFooter);
  added->add_flag("--json", request.json, "Write one JSON document");
  added->callback([&request, command = std::move(command)] { request.command = command; });
  return added;
}

MemberName member_name(const Request &request) {
  std::string wrong;
  return bkr::tool::parse_member_name(request.member, wrong);
}

void add_member(CLI::App *command, Request &request) {
  command->add_option("FAMILY.NAME", request.member, "A backend, e.g. attention.CPU_ATTN")
      ->required()
      ->option_text(" ")
      ->check(CLI::Validator(
          [](const std::string &text) {
            std::string wrong;
            bkr::tool::parse_member_name(text, wrong);
            return wrong;
          },
          ""));
}

void add_select(CLI::App &app, Request &request) {
  CLI::App *select =
      add_command(app, request, "select", "Which backend serves what is needed, and why others do not",
                  [&] { return bkr::tool::select(request.family, request.facts, request.candidates, request.json); });
  select->add_option("FAMILY", request.family, "attention, mamba, mla_prefill or another one")
      ->required()
      ->option_text(" ");
  select->add_option("--fact", request.facts, "What is needed, e.g. head_size=128; once for each fact")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(
          [](const std::string &text) {
            const bool good = text.find('=') != std::string::npos && text.front() != '=';
            return good ? std::string() : "'" + text + "' is no KEY=VALUE; write e.g. head_size=128";
          },
          ""));
  select->add_option("--candidates", request.candidates, "Ask only these, the best first; default: all with a provider")
      ->option_text("NAME,NAME")
      ->allow_extra_args(false)
      ->delimiter(',');
}

void add_commands(CLI::App &app, Request &request) {
  CLI::App *list = add_command(app, request, "list", "What each name leads to, and what is missing",
                               [&] { return bkr::tool::list(request.family, request.json); });
  list->add_option("FAMILY", request.family, "attention, mamba, mla_prefill or another one; default: all")
      ->option_text(" ");

  CLI::App *show = add_command(app, request, "show", "All facts of one backend",
                               [&] { return bkr::tool::show(member_name(request), request.json); });
  add_member(show, request);

  CLI::App *why = add_command(app, request, "why", "How a name leads to a plugin, or why it does not",
                              [&] { return bkr::tool::why(member_name(request), request.json); });
  add_member(why, request);

  CLI::App *scan = add_command(app, request, "scan", "Every directory and file that is looked at, with its verdict",
                               [&] { return bkr::tool::scan(request.dirs, request.json); });
  scan->add_option("DIR", request.dirs, "Search these directories and no others")->option_text("...");

  add_select(app, request);

  CLI::App *inspect = add_command(app, request, "inspect", "What one file is, from its bytes alone",
                                  [&] { return bkr::tool::inspect(request.file, request.json); });
  inspect->add_option("FILE", request.file, "A plugin's file, or any other")->required()->option_text(" ");

  CLI::App *run = add_command(app, request, "run", "Load a backend, compute a recorded case, compare the result",
                              [&] { return bkr::tool::run(member_name(request), request.file, request.json); });
  add_member(run, request);
  run->add_option("CASE.json", request.file, "Parameters, tensors and the result as recorded")
      ->required()
      ->option_text(" ");
}

int run_command(const Request &request) {
  int result = bkr::tool::kFailed;
  try {
    result = request.command();
  } catch (const std::exception &error) {
    bkr::tool::report_failure(error.what());
  }
  std::cout.flush();
  if (!std::cout) {
    bkr::tool::report_failure("The answer could not be written to stdout.");
    return bkr::tool::kFailed;
  }
  return result;
}

}  // namespace

int main(int argc, char **argv) {
  CLI::App app(kDescription, "bkr");
  app.footer(kFooter);
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  Request request;
  add_commands(app, request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? bkr::tool::kDone : bkr::tool::kUsage;  // 0: help or version was asked for
  }
  return run_command(request);
}
