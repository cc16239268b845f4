/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BKR_TESTS_BENCH_RIVALS_TABLE_H
#define BKR_TESTS_BENCH_RIVALS_TABLE_H

/* The table of functions of the plain plugin, and its like in C++: what a call costs once everything is loaded. */
#include <backend_registry/types.h>

#define RIVALS_TABLE "example.sum/1"

typedef struct rivals_table {
  uint32_t struct_size, flags;
  uint32_t (*add)(bkr_backend *backend, uint32_t number);
} rivals_table;

#ifdef __cplusplus
namespace rivals {

class Sum {
 public:
  Sum() = default;
  Sum(const Sum &) = delete;
  Sum &operator=(const Sum &) = delete;
  virtual ~Sum() = default;
  virtual uint32_t add(uint32_t number) = 0;
};

}  // namespace rivals
#endif

#endif /* BKR_TESTS_BENCH_RIVALS_TABLE_H */
