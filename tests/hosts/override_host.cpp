// SPDX-License-Identifier: Apache-2.0
// override_host PATH: puts PATH (a plugin's file, or a qualified path) in place of FLASH_ATTN while the program runs,
// makes a backend with it, and takes it back.
#include <backend_registry/backend_registry.hpp>
#include <iostream>

namespace {

void print_path(const char *when, bkr::member member) {
  std::cout << when << member.name() << " -> " << member.path()
            << (member.is_overridden() ? "   (overridden)\n" : "\n");
}

}  // namespace

int main(int argc, char **argv) try {
  if (argc != 2) {
    std::cerr << "usage: override_host PATH\n";
    return 2;
  }
  const bkr::registry registry = bkr::registry::open();
  const bkr::member flash = registry.find_family("attention").find_member("FLASH_ATTN");
  print_path("at first:   ", flash);

  flash.override_path(argv[1]);
  print_path("now:        ", flash);
  const bkr::backend backend = flash.load().create();
  std::cout << "made:       a backend that calls itself " << backend.name() << '\n';

  flash.clear_override();
  print_path("taken back: ", flash);
  std::cout << "and the " << backend.name() << " backend that was made is still there to be used\n";
} catch (const bkr::error &error) {
  std::cerr << bkr::status_name(error.status()) << ": " << error.what() << '\n';
  return 1;
}
