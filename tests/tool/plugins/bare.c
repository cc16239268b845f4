/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is no plugin: neither create_backend nor a descriptor. */
__attribute__((visibility("default"))) int answer(void);

int answer(void) { return 42; }
