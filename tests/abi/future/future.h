/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BKR_TESTS_ABI_FUTURE_FUTURE_H
#define BKR_TESTS_ABI_FUTURE_FUTURE_H

/* What the plugin of the future and its test have in common. */

#include <stdint.h>

#define FUTURE_MINOR 65535 /* no library's */
#define FUTURE_CPU_WORD "quantum-512"
#define FUTURE_SERVICE "test.abi.later-service/1"

/* Kernels that this library has never heard of: a matter of host and plugin alone. */
#define FUTURE_INTERFACE "test.abi.later-kernels/7"
#define FUTURE_ANSWER 4711

typedef struct future_table {
  uint32_t struct_size;
  uint32_t flags;
  uint32_t answer;
} future_table;

#endif /* BKR_TESTS_ABI_FUTURE_FUTURE_H */
