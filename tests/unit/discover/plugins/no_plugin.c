/* SPDX-License-Identifier: Apache-2.0 */
/* A library with another function, whose name begins as ours does, and which needs the C library. */
#include <stdlib.h>

__attribute__((visibility("default"))) int create_backend_of_another_kind(int value);
int create_backend_of_another_kind(int value) { return value + rand(); }
