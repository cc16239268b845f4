/* SPDX-License-Identifier: Apache-2.0 */
/* JSON documents go through (buffer, cap, need): whole or not at all. */

#include <stdlib.h>

#include "check.h"

static bkr_registry *registry;
static bkr_member *member;

static bkr_status report(char *buffer, size_t cap, size_t *need) {
  return bkr_registry_report(registry, buffer, cap, need, NULL);
}

static bkr_status explain(char *buffer, size_t cap, size_t *need) {
  return bkr_member_explain(member, buffer, cap, need, NULL);
}

static bkr_status inspect(char *buffer, size_t cap, size_t *need) {
  return bkr_inspect(__FILE__, buffer, cap, need, NULL);
}

static void is_whole_or_not_there(bkr_status (*document)(char *, size_t, size_t *)) {
  size_t need = 0;
  size_t again = 0;
  CHECK_STATUS(BKR_OK, document(NULL, 0, &need));
  CHECK(need > 2);
  char *buffer = (char *)malloc(need + 1);
  if (buffer == NULL) return;
  memset(buffer, 0x7f, need + 1);
  CHECK_STATUS(BKR_BUFFER_TOO_SMALL, document(buffer, need - 1, &again));
  CHECK(again == need && buffer[0] == 0x7f);
  CHECK_STATUS(BKR_OK, document(buffer, need, &again));
  CHECK(again == need && strlen(buffer) == need - 1 && buffer[need] == 0x7f);
  CHECK(buffer[0] == '{');
  free(buffer);
}

int main(void) {
  size_t need = 0;
  registry = open_alone();
  if (registry == NULL) return check_result();
  member = bkr_family_member_at(bkr_family_at(registry, 0), 0);
  is_whole_or_not_there(report);
  is_whole_or_not_there(explain);
  is_whole_or_not_there(inspect);
  CHECK_STATUS(BKR_NOT_FOUND, bkr_inspect("/no/such/file", NULL, 0, &need, NULL));
  bkr_registry_close(registry);
  return check_result();
}
