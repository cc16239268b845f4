// SPDX-License-Identifier: Apache-2.0
// Descriptors that are torn, lying, or two.
#include <backend_registry/descriptor.h>

#include "elf_changes.h"
#include "golden.h"

namespace golden {
namespace {

struct Descriptor {
  const char *name;
  PluginBytes (*make)();
};
void PrintTo(const Descriptor &descriptor, std::ostream *to) { *to << descriptor.name; }

#define GOLDEN_HEADER(field) offsetof(bkr_descriptor_header, field)
#define GOLDEN_RECORD(field) sizeof(bkr_descriptor_header) + offsetof(bkr_descriptor_record, field)

PluginBytes with(std::size_t at, auto value) { return built("good").with_header(at, value); }

// The size of the note that the descriptor is, before its type and its owner.
PluginBytes with_note_size(uint32_t size) {
  return built("good").with(built("good").descriptor() - 3 * sizeof(uint32_t), size);
}

const Descriptor kDescriptors[] = {
    {"descriptor_is_too_small", [] { return with_note_size(100); }},
    {"descriptor_is_larger_than_its_place", [] { return with_note_size(0x7fffffff); }},
    {"descriptor_is_there_twice", [] { return with_descriptor_twice(built("good")); }},
    {"descriptor_has_another_magic", [] { return with(GOLDEN_HEADER(magic), 'X'); }},
    {"descriptor_has_a_small_header", [] { return with(GOLDEN_HEADER(header_size), uint32_t{255}); }},
    {"descriptor_has_small_records", [] { return with(GOLDEN_HEADER(record_size), uint32_t{8}); }},
    {"descriptor_has_no_records", [] { return with(GOLDEN_HEADER(record_count), uint32_t{0}); }},
    {"descriptor_has_too_many_records", [] { return with(GOLDEN_HEADER(record_count), uint32_t{1025}); }},
    {"descriptor_has_another_size", [] { return with(GOLDEN_HEADER(total_size), uint32_t{4096}); }},
    {"descriptor_has_more_records_than_bytes",
     [] {
       return with(GOLDEN_HEADER(record_count), uint32_t{2})
           .with_header(GOLDEN_HEADER(total_size), uint32_t{256 + 2 * 512});
     }},
    {"descriptor_has_no_abi", [] { return with(GOLDEN_HEADER(abi_major), uint16_t{0}); }},
    {"descriptor_has_no_format", [] { return with(GOLDEN_HEADER(format), uint16_t{0}); }},
    {"descriptor_has_an_id_without_end",
     [] { return built("good").with_id(std::string(95, 'x')).with_header(GOLDEN_HEADER(plugin_id) + 95, 'x'); }},
    {"descriptor_has_no_id", [] { return built("good").with_id(""); }},
    {"descriptor_has_a_version_that_is_no_text", [] { return with(GOLDEN_HEADER(version), '\xff'); }},
    {"descriptor_has_more_behind_its_id", [] { return with(GOLDEN_HEADER(plugin_id) + 90, 'x'); }},
    {"descriptor_has_no_zeros", [] { return with(GOLDEN_HEADER(zero), '\x01'); }},
    {"record_has_a_family_that_is_no_identifier", [] { return built("good").with_family("atten tion"); }},
    {"record_has_a_name_that_is_no_identifier", [] { return built("good").with_name("9LIVES"); }},
    {"record_has_no_path", [] { return built("good").with_path(""); }},
    {"record_has_a_symbol_that_is_no_identifier", [] { return built("good").with_symbol("ns::create"); }},
    {"record_has_no_zeros", [] { return with(GOLDEN_RECORD(zero), '\x01'); }},
};

class EachDescriptor : public Golden, public testing::WithParamInterface<Descriptor> {};

TEST_P(EachDescriptor, is_refused) {
  const std::string file = dir.drop(GetParam().make(), "x.so");
  const Registry registry(dir);
  expect(registry.load_path(file), registry);
}

INSTANTIATE_TEST_SUITE_P(Golden, EachDescriptor, testing::ValuesIn(kDescriptors), RowName());

}  // namespace
}  // namespace golden
