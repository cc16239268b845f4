/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_DESCRIPTOR_H
#define BACKEND_REGISTRY_DESCRIPTOR_H

/* What a plugin says about itself, as bytes in its file: which backends it holds, and which plugin ABI it was
 * built for. The registry reads them without running any of the plugin's code.
 *
 * One statement at file scope, in one source file of the plugin, makes them:
 *
 *     BKR_PLUGIN("org.example.fast", "1.2.0",
 *                BKR_BACKEND("attention", "FAST", "example.fast.FastBackend", create_backend,
 *                            "bkr.attention/1", "", 0),
 *                BKR_BACKEND("attention", "FAST", "example.fast.FastBackend", create_fast_v3,
 *                            "bkr.attention/1", "x86-64-v3", 0));
 *
 * A second BKR_PLUGIN in one library does not link. */

#include "types.h"

/* Every number is little-endian; nothing is a pointer, so that the bytes are the same in the file and in memory.
 * Texts are UTF-8, end in a NUL inside their field, and are followed by zeros. Both structs grow only at their
 * end: a reader steps by the sizes that the header states, and uses what it knows. */
typedef struct bkr_descriptor_header {
  uint8_t magic[8];       /* BKR_DESCRIPTOR_MAGIC */
  uint32_t header_size;   /* sizeof(bkr_descriptor_header) of the plugin's headers, at least 256 */
  uint32_t record_size;   /* sizeof(bkr_descriptor_record) of the plugin's headers, at least 512 */
  uint32_t record_count;  /* 1 to 1024 */
  uint32_t total_size;    /* header_size + record_count * record_size */
  uint16_t abi_major;     /* BKR_ABI_MAJOR of the plugin's headers; never 0 */
  uint16_t abi_minor_min; /* BKR_ABI_MINOR_MIN: the least minor number of a library that can use it */
  uint16_t abi_minor;     /* BKR_ABI_MINOR of the plugin's headers */
  uint16_t format;        /* BKR_DESCRIPTOR_FORMAT; grows when a byte of `zero` gets a meaning */
  uint32_t flags;         /* 0; a reader ignores flags that it does not know */
  char plugin_id[96];     /* who it is, e.g. "org.example.fast"; not empty */
  char version[32];       /* its own version, in words of its own */
  uint8_t zero[92];
} bkr_descriptor_header;

/* One backend. */
typedef struct bkr_descriptor_record {
  char family[32];       /* "attention", "mamba", "mla_prefill" or a host's own; an identifier */
  char name[64];         /* the member it is meant for, e.g. "CPU_ATTN"; an identifier */
  char path[192];        /* the qualified path it provides, e.g. "package.module.Class" */
  char symbol[64];       /* its create function, a bkr_create_backend_fn that the library exports */
  char interface_id[64]; /* the table of kernels it offers, e.g. "bkr.attention/1"; may be empty */
  char cpu_level[32];    /* what the CPU must have: words with commas between, e.g. "x86-64-v3"; empty: nothing */
  int32_t priority;      /* for selection: the higher is tried first */
  uint32_t flags;        /* as in the header */
  uint8_t zero[56];
} bkr_descriptor_record;

#define BKR_DESCRIPTOR_FORMAT 1
#define BKR_DESCRIPTOR_MAX_RECORDS 1024
#define BKR_DESCRIPTOR_MAGIC \
  { 0x42, 0x4b, 0x52, 0x0d, 0x0a, 0x1a, 0x0a, 0x01 } /* "BKR\r\n\x1a\n\x01" */

/* Where the bytes are. ELF: the descriptor of a note in section `.note.bkr`, found through PT_NOTE.
 * PE: section `.bkr`. Mach-O: section `__bkr` of segment `__TEXT`. */
#define BKR_DESCRIPTOR_NOTE_OWNER "BKR"
#define BKR_DESCRIPTOR_NOTE_TYPE 0x424b5231u

/* BKR_BACKEND(family, name, path, symbol, interface_id, cpu_level, priority)
 *
 * One backend, as an argument of BKR_PLUGIN. Everything is a string literal but symbol, which is the identifier
 * of the create function, and priority, a constant. symbol must be declared as a bkr_create_backend_fn (in C++ as
 * extern "C") and exported (BKR_EXPORT); create_backend of plugin.h is. Fields: bkr_descriptor_record.
 *
 * Does not compile: a text that is too long for its field; an empty text other than interface_id and cpu_level;
 * a symbol that is not declared or of another type; in C++ also a family, name or symbol that is no identifier. */
#define BKR_BACKEND(family, name, path, symbol, interface_id, cpu_level, priority)                                    \
  {                                                                                                                   \
    "" family "", "" name "", "" path "", BKR_DETAIL_TEXT(symbol), "" interface_id "", "" cpu_level "", (priority),   \
        BKR_DETAIL_CHECK(family, 1, 32, "family") + BKR_DETAIL_CHECK(name, 1, 64, "name") +                           \
            BKR_DETAIL_CHECK(path, 1, 192, "path") + BKR_DETAIL_CHECK(BKR_DETAIL_TEXT(symbol), 1, 64, "symbol") +     \
            BKR_DETAIL_CHECK(interface_id, 0, 64, "interface_id") + BKR_DETAIL_CHECK(cpu_level, 0, 32, "cpu_level") + \
            BKR_DETAIL_CHECK_FUNCTION(symbol) + BKR_DETAIL_CHECK_IDENTIFIER(family) +                                 \
            BKR_DETAIL_CHECK_IDENTIFIER(name) + BKR_DETAIL_CHECK_IDENTIFIER(BKR_DETAIL_TEXT(symbol)),                 \
    {                                                                                                                 \
      0                                                                                                               \
    }                                                                                                                 \
  }

/* BKR_PLUGIN(id, version, BKR_BACKEND(…), …);
 *
 * The descriptor of this library: id and version are string literals that are not empty, followed by one to 1024
 * backends. At file scope, outside every namespace. */
#define BKR_PLUGIN(id, version, ...)                                                                               \
  struct bkr_detail_descriptor {                                                                                   \
    BKR_DETAIL_NOTE_FIELDS                                                                                         \
    bkr_descriptor_header header;                                                                                  \
    bkr_descriptor_record records[BKR_DETAIL_COUNT(__VA_ARGS__)];                                                  \
  };                                                                                                               \
  BKR_EXTERN_C_BEGIN                                                                                               \
  extern BKR_DETAIL_LINKAGE const struct bkr_detail_descriptor bkr_plugin_descriptor;                              \
  BKR_EXTERN_C_END                                                                                                 \
  BKR_DETAIL_PLACE BKR_DETAIL_CONSTANT struct bkr_detail_descriptor bkr_plugin_descriptor = {                      \
      BKR_DETAIL_NOTE_VALUES{BKR_DESCRIPTOR_MAGIC,                                                                 \
                             sizeof(bkr_descriptor_header),                                                        \
                             sizeof(bkr_descriptor_record),                                                        \
                             BKR_DETAIL_RECORDS_SIZE / sizeof(bkr_descriptor_record),                              \
                             sizeof(bkr_descriptor_header) + BKR_DETAIL_RECORDS_SIZE,                              \
                             BKR_ABI_MAJOR,                                                                        \
                             BKR_ABI_MINOR_MIN,                                                                    \
                             BKR_ABI_MINOR,                                                                        \
                             BKR_DESCRIPTOR_FORMAT,                                                                \
                             BKR_DETAIL_CHECK(id, 1, 96, "id") + BKR_DETAIL_CHECK(version, 1, 32, "version"),      \
                             "" id "",                                                                             \
                             "" version "",                                                                        \
                             {0}},                                                                                 \
      {__VA_ARGS__}};                                                                                              \
  BKR_DETAIL_ASSERT(BKR_DETAIL_RECORDS_SIZE >= sizeof(bkr_descriptor_record) &&                                    \
                        BKR_DETAIL_RECORDS_SIZE <= BKR_DESCRIPTOR_MAX_RECORDS * sizeof(bkr_descriptor_record),     \
                    "BKR_PLUGIN takes 1 to 1024 backends");                                                        \
  BKR_DETAIL_ASSERT(BKR_DETAIL_LITTLE_ENDIAN, "BKR_PLUGIN writes little-endian numbers on little-endian machines " \
                                              "only")

/* ---- how the two macros are made; nothing below is for use ------------------------------------------------- */

#define BKR_DETAIL_TEXT(symbol) BKR_DETAIL_TEXT_OF(symbol)
#define BKR_DETAIL_TEXT_OF(symbol) #symbol
#define BKR_DETAIL_RECORDS_SIZE (sizeof(struct bkr_detail_descriptor) - offsetof(struct bkr_detail_descriptor, records))

#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#define BKR_DETAIL_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#else
#define BKR_DETAIL_LITTLE_ENDIAN 1 /* MSVC */
#endif

/* Checks are constant expressions of value 0 that are added into a field, because a text that is too long for an
 * array of char is only a warning in C. */
#if defined(__cplusplus)

#define BKR_DETAIL_ASSERT(condition, message) static_assert(condition, message)
#define BKR_DETAIL_CONSTANT constexpr
#define BKR_DETAIL_COUNT(...) sizeof(bkr_detail::count({__VA_ARGS__}))
#define BKR_DETAIL_CHECK(text, least, size, field) bkr_detail::check_size<sizeof("" text ""), least, size>()
#define BKR_DETAIL_CHECK_FUNCTION(symbol) \
  bkr_detail::check_size<sizeof(bkr_detail::is_create_function(&symbol)), 0, 1>()
#define BKR_DETAIL_CHECK_IDENTIFIER(text) bkr_detail::check_identifier("" text "")

namespace bkr_detail {

template <size_t Count>
const char (&count(const bkr_descriptor_record (&)[Count]))[Count];

char is_create_function(bkr_create_backend_fn);

template <size_t Size, size_t Least, size_t Field>
constexpr uint32_t check_size() {
  static_assert(Size > Least, "a text of the descriptor is empty");
  static_assert(Size <= Field, "a text of the descriptor is too long for its field");
  return 0;
}

/* Called only where it cannot be: in a constant expression, to stop the compiler. */
inline void family_name_and_symbol_must_be_identifiers() {}

constexpr uint32_t check_identifier(const char *text) {
  for (const char *c = text; *c != '\0'; ++c) {
    const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
    const bool digit = *c >= '0' && *c <= '9';
    if (!letter && !(digit && c != text)) family_name_and_symbol_must_be_identifiers();
  }
  return 0;
}

} /* namespace bkr_detail */

#else

#define BKR_DETAIL_ASSERT(condition, message) _Static_assert(condition, message)
#define BKR_DETAIL_CONSTANT const
#define BKR_DETAIL_COUNT(...) (sizeof((const bkr_descriptor_record[]){__VA_ARGS__}) / sizeof(bkr_descriptor_record))
#define BKR_DETAIL_CHECK(text, least, size, field)                                        \
  (0u * sizeof(struct {                                                                   \
     char unused;                                                                         \
     _Static_assert(sizeof("" text "") > least, field " is empty");                       \
     _Static_assert(sizeof("" text "") <= size, field " is too long for the descriptor"); \
   }))
#define BKR_DETAIL_CHECK_FUNCTION(symbol) (0u * sizeof(_Generic(&symbol, bkr_create_backend_fn : 'f')))
#define BKR_DETAIL_CHECK_IDENTIFIER(text) 0u

#endif

/* Where the object is put, and what keeps it there: linkers that drop what nobody refers to, sanitizers that put
 * zones between objects, compilers that align big objects more than a note allows. */
#if defined(__clang__)
#define BKR_DETAIL_UNPADDED __attribute__((no_sanitize("address")))
#else
#define BKR_DETAIL_UNPADDED
#endif

#if defined(__has_attribute)
#if __has_attribute(retain)
#define BKR_DETAIL_RETAIN __attribute__((retain))
#endif
#endif
#if !defined(BKR_DETAIL_RETAIN)
#define BKR_DETAIL_RETAIN
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#pragma section(".bkr", read)
#define BKR_DETAIL_LINKAGE __declspec(dllexport)
#define BKR_DETAIL_PLACE __declspec(allocate(".bkr")) __declspec(align(4))
#elif defined(_WIN32)
#define BKR_DETAIL_LINKAGE __declspec(dllexport)
#define BKR_DETAIL_PLACE BKR_DETAIL_UNPADDED __attribute__((section(".bkr"), used, aligned(4)))
#elif defined(__APPLE__)
#define BKR_DETAIL_LINKAGE __attribute__((visibility("hidden")))
#define BKR_DETAIL_PLACE BKR_DETAIL_UNPADDED __attribute__((section("__TEXT,__bkr"), used, aligned(4)))
#else
#define BKR_DETAIL_LINKAGE __attribute__((visibility("hidden")))
#define BKR_DETAIL_PLACE BKR_DETAIL_UNPADDED BKR_DETAIL_RETAIN __attribute__((section(".note.bkr"), used, aligned(4)))
#define BKR_DETAIL_NOTE_FIELDS             \
  uint32_t owner_size, content_size, type; \
  char owner[4];
#define BKR_DETAIL_NOTE_VALUES                                                                \
  sizeof(BKR_DESCRIPTOR_NOTE_OWNER), sizeof(bkr_descriptor_header) + BKR_DETAIL_RECORDS_SIZE, \
      BKR_DESCRIPTOR_NOTE_TYPE, BKR_DESCRIPTOR_NOTE_OWNER,
#endif
#if !defined(BKR_DETAIL_NOTE_FIELDS)
#define BKR_DETAIL_NOTE_FIELDS
#define BKR_DETAIL_NOTE_VALUES
#endif

BKR_DETAIL_ASSERT(sizeof(bkr_descriptor_header) == 256 && offsetof(bkr_descriptor_header, header_size) == 8 &&
                      offsetof(bkr_descriptor_header, abi_major) == 24 &&
                      offsetof(bkr_descriptor_header, flags) == 32 &&
                      offsetof(bkr_descriptor_header, plugin_id) == 36 &&
                      offsetof(bkr_descriptor_header, version) == 132 && offsetof(bkr_descriptor_header, zero) == 164,
                  "the header's layout is fixed");
BKR_DETAIL_ASSERT(sizeof(bkr_descriptor_record) == 512 && offsetof(bkr_descriptor_record, name) == 32 &&
                      offsetof(bkr_descriptor_record, path) == 96 && offsetof(bkr_descriptor_record, symbol) == 288 &&
                      offsetof(bkr_descriptor_record, interface_id) == 352 &&
                      offsetof(bkr_descriptor_record, cpu_level) == 416 &&
                      offsetof(bkr_descriptor_record, priority) == 448 && offsetof(bkr_descriptor_record, zero) == 456,
                  "the record's layout is fixed");

#endif /* BACKEND_REGISTRY_DESCRIPTOR_H */
