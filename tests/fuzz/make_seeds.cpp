// SPDX-License-Identifier: Apache-2.0
// Writes the hand-made part of the corpus into a folder, or with --check says what there is otherwise. The other
// inputs there, named by their hashes, were found by the fuzzers.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "seed_images.h"

namespace {

using namespace bkr::core::fuzzing;
using namespace std::string_literals;

using Seeds = std::map<std::string, std::string>;  // place in the corpus -> bytes

std::string with(std::string bytes, std::size_t at, std::string_view over) {
  return bytes.replace(at, over.size(), over);
}

void add_images(Seeds &seeds) {
  const auto add = [&](const char *name, std::string bytes) { seeds["image/"s + name] = std::move(bytes); };
  const std::string own = seed_elf(true, false, 62, Hash::gnu);
  add("elf64_x86_64", own);
  add("elf64_x86_64_sysv_hash", seed_elf(true, false, 62, Hash::sysv));
  add("elf64_aarch64", seed_elf(true, false, 183, Hash::gnu));
  add("elf64_ppc64_big", seed_elf(true, true, 21, Hash::sysv));
  add("elf64_s390_big", seed_elf(true, true, 22, Hash::gnu));
  add("elf32_x86", seed_elf(false, false, 3, Hash::gnu));
  add("elf32_arm_sysv_hash", seed_elf(false, false, 40, Hash::sysv));
  add("elf32_mips_big", seed_elf(false, true, 8, Hash::sysv));
  add("elf32_sparc_big_gnu_hash", seed_elf(false, true, 2, Hash::gnu));
  add("elf_of_freebsd", with(own, 7, "\x09"));
  add("elf_program", with(own, 16, "\x02"));
  add("elf_object", with(own, 16, "\x01"));
  add("elf_core", with(own, 16, "\x04"));
  add("elf_cut", own.substr(0, 700));
  add("elf_cut_header", own.substr(0, 40));
  add("pe_x86_64", seed_pe(0x8664, 0x2022));
  add("pe_aarch64_program", seed_pe(0xaa64, 0x0022));
  add("pe_cut", seed_pe(0x8664, 0x2022).substr(0, 70));
  add("dos_program", with(seed_pe(0x8664, 0x2022), 64, "NE"));
  add("macho_x86_64", seed_macho(true, false, 0x01000007, 6));
  add("macho_aarch64_bundle", seed_macho(true, false, 0x0100000c, 8));
  add("macho_ppc_big", seed_macho(false, true, 18, 6));
  add("macho_program", seed_macho(true, false, 0x0100000c, 2));
  add("macho_fat", seed_macho_fat(false));
  add("macho_fat_64", seed_macho_fat(true));
  add("java_class", "\xca\xfe\xba\xbe\0\0\0\x34"s);
  add("archive", "!<arch>\n");
  add("script", "#!/bin/sh\nexit 1\n");
  add("linker_script", "/* GNU ld script */\nGROUP ( libx.so.1 )\n");
  add("text", "gr\xc3\xbc\xc3\x9f dich\n");
  add("empty", "");
}

void add_descriptors(Seeds &seeds) {
  const auto add = [&](const char *name, std::string bytes) { seeds["descriptor/"s + name] = std::move(bytes); };
  const std::string two = seed_descriptor();
  const std::string one = with(with(two.substr(0, 768), 16, "\1"), 20, "\0\3"s);
  add("two_records", two);
  add("one_record", one);
  add("later_format", with(with(with(one, 30, "\2"), 200, "later"), 760, "later"));
  add("longer_structs", with(with(with(one, 8, "\0\2"s), 12, "\0\2"s), 20, "\0\4"s).insert(256, 256, '\0'));
  add("bytes_behind", one + "behind");
  add("cut", two.substr(0, 1000));
  add("header_alone", two.substr(0, 256));
  add("no_id", with(one, 36, "\0"s));
  add("no_end", with(one, 36, std::string(96, 'x')));
  add("not_utf8", with(one, 36, "\xc3"));
  add("no_identifier", with(one, 288, "1"));
}

void add_facts(Seeds &seeds) {
  const auto add = [&](const char *name, std::string bytes) { seeds["scan_cache/"s + name] = std::move(bytes); };
  const auto number = [](uint32_t value) {
    return std::string{static_cast<char>(value), static_cast<char>(value >> 8), 0, 0};
  };
  const auto text = [&](const std::string &value) { return number(static_cast<uint32_t>(value.size())) + value; };
  const std::string addresses = std::string(9, '\0') + "\x40" + std::string(6, '\0');
  const std::string image = text("ELF") + text("x86-64, 64-bit, little-endian") + addresses + number(2) +
                            text("libm.so.6") + text("libc.so.6") + text("$ORIGIN") + "\1";
  const std::string failure = number(10) + number(5) + text("it is cut short") + text("Get it anew.") + number(0);
  const std::string record = text("attention") + text("GOOD") + text("a.Good") + text("create_backend") +
                             text("bkr.attention/1") + text("x86-64-v3") + number(1) + number(0);
  const std::string descriptor = "\1\0\0\0\0\0\1\0"s + number(0) + text("org.example") + text("1.0");
  add("no_descriptor", image + "\0\0"s);
  add("one_record", image + "\0\1"s + descriptor + number(1) + record);
  add("two_records", image + "\0\1"s + descriptor + number(2) + record + record);
  add("failure", image + "\1"s + failure + "\0"s);
  add("failure_and_record", image + "\1"s + failure + "\1"s + descriptor + number(1) + record);
  add("failure_of_status_0", image + "\1"s + number(0) + failure.substr(4) + "\0"s);
  add("many_records", image + "\0\1"s + descriptor + "\xff\xff\xff\xff" + record);
  add("long_text", text("ELF") + "\xff\xff\xff\x7f");
  add("cut", image.substr(0, 60));
}

void add_paths(Seeds &seeds) {
  const auto add = [&](const char *name, std::string bytes) { seeds["path_grammar/"s + name] = std::move(bytes); };
  add("dotted", "a.b.Class\na.B\na..b\n.a\na.\n.\nfoo");
  add("files", "/opt/a::b/libx.so::make\nlibx.so.1.20::f\nx.dll\nx.dylib::f\n./plain\n/a/::f\nC:\\x\\y.dll::f");
  add("no_symbols", "libx.so::ns::make\nx.so::9f\nlibx.so::\nfoo::bar\nlibx.so.\na.so.x");
  add("relative", "a/../b.so\n./../../b\nx//y.so::f\na/./b\na/..\n..//\n.//.");
  add("again", "x/y.so\nx/y.so\nx/y.so::create_backend\na.b\na.b");
  add("longest", "/" + std::string(4094, 'a'));
  add("too_long", "/" + std::string(4095, 'a'));
}

void add_environments(Seeds &seeds) {
  const auto add = [&](const char *name, std::string bytes) { seeds["environment/"s + name] = std::move(bytes); };
  add("places", "BKR_PLUGIN_PATH=/one:two::/three/x.so:\nHOME=/home/x\nXDG_DATA_HOME=/data");
  add("no_default_places", "BKR_PLUGIN_PATH=a\nBKR_DEFAULT_DIRS=0\nHOME=/home/x");
  add("relative_homes", "HOME=home\nXDG_DATA_HOME=data");
  add("enable", "BKR_ENABLE=org.example.*, b?r.so\nBKR_DISABLE=*\norg.example.fast\nBKR.so\nbkkr.so\n");
  add("disable", "BKR_DISABLE=fast*,ORG.OTHER,?\xd1\x84*\nFast.so\norg.other\n\xf0\x9f\x9a\x80\xd1\x84.so");
  add("stars",
      "BKR_ENABLE=*a*a*?b*,**\naaaaaaaab\nab\xc3\xa4"
      "b");
  add("log", "BKR_LOG=trace");
  add("log_unknown", "BKR_LOG=loud");
  add("overrides",
      "BKR_OVERRIDE_ATTENTION_CUSTOM=/opt/x.so::f\nBKR_OVERRIDE_MLA_PREFILL_CPU=a.b.C\nBKR_OVERRIDE_X_Y=z");
  add("refused_override", "BKR_OVERRIDE_MAMBA_CUSTOM=dir/");
  add("misspelled", "BKR_OVERIDE_ATTENTION_CUSTOM=x\nbkr_log=x\nBKR_LOGS=x\nBKR_SELECT_MAMBAA=x");
  add("twice", "BKR_LOG=off\nBKR_LOG=trace\nBKR_ENABLE=\nBKR_ENABLE=x");
}

std::string read_file(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int main(int argc, char **argv) {
  const bool check = argc == 3 && argv[1] == "--check"s;
  if (argc != 2 && !check) {
    std::cerr << "usage: " << argv[0] << " [--check] <corpus>\n";
    return 2;
  }
  const std::filesystem::path corpus = argv[argc - 1];
  Seeds seeds;
  add_images(seeds);
  add_descriptors(seeds);
  add_facts(seeds);
  add_paths(seeds);
  add_environments(seeds);
  int different = 0;
  for (const auto &[name, bytes] : seeds) {
    const std::filesystem::path path = corpus / name;
    if (check) {
      if (std::filesystem::is_regular_file(path) && read_file(path) == bytes) continue;
      std::cerr << path.string() << " is missing, or not what this program writes\n";
      ++different;
    } else {
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << bytes;
    }
  }
  return different == 0 ? 0 : 1;
}
