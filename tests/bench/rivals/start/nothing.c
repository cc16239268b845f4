/* SPDX-License-Identifier: Apache-2.0 */
/* Linked to nothing, to libstdc++, or to the library: what being linked to it costs a host that never calls it. */
int main(void) { return 0; }
