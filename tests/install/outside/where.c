/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the file that CPU_ATTN leads to. */
#include <backend_registry/registry.h>
#include <stdio.h>

int main(void) {
  bkr_registry *registry = NULL;
  bkr_family *attention = NULL;
  bkr_member *member = NULL;
  bkr_target target = {0};
  target.struct_size = sizeof(target);
  if (bkr_registry_open(NULL, &registry, NULL) != BKR_OK) return 1;
  if (bkr_family_find(registry, "attention", &attention, NULL) != BKR_OK) return 2;
  if (bkr_member_find(attention, "CPU_ATTN", &member, NULL) != BKR_OK) return 3;
  if (bkr_member_resolve(member, &target, NULL) != BKR_OK) return 4;
  puts(target.file);
  bkr_registry_close(registry);
  return 0;
}
