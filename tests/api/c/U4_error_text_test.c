/* SPDX-License-Identifier: Apache-2.0 */
/* U4: a message longer than the caller's buffer is cut on a UTF-8 boundary, msg_len tells the whole length. */

#include "check.h"

/* Characters of one to four bytes, so that each capacity cuts another one. */
#define NAME "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xe2\x82\xac\xc3\xa9"

static int continues(char byte) { return ((unsigned char)byte & 0xC0u) == 0x80u; }

static void a_text_is_cut_at_every_capacity(bkr_family *family) {
  static char whole[65536];
  static char text[65536];
  bkr_member *member = NULL;
  bkr_error error = BKR_ERROR_INIT(whole);
  CHECK_STATUS(BKR_UNKNOWN_NAME, bkr_member_find(family, NAME, &member, &error));
  const size_t length = strlen(whole);
  CHECK(error.msg_len == length);
  CHECK(strstr(whole, NAME) != NULL);

  for (uint32_t cap = 1; cap <= length + 1; ++cap) {
    memset(text, 0x7f, sizeof(text));
    bkr_error cut = {sizeof(bkr_error), 0, 0, cap, text, 0, 0};
    CHECK_STATUS(BKR_UNKNOWN_NAME, bkr_member_find(family, NAME, &member, &cut));
    const size_t kept = strlen(text);
    CHECK(cut.code == BKR_UNKNOWN_NAME);
    CHECK(cut.msg_len == length);
    CHECK(kept < cap && kept + 4 >= cap);    /* nothing is lost but the half character */
    CHECK(memcmp(text, whole, kept) == 0);   /* a beginning of the whole */
    CHECK(!continues(whole[kept]));          /* that ends between two characters */
    CHECK((unsigned char)text[cap] == 0x7f); /* and nothing behind it is written */
    if (check_failures > 0) return;
  }
}

static void a_caller_may_want_no_text(bkr_family *family) {
  bkr_member *member = NULL;
  bkr_error error = {sizeof(bkr_error), 0, 0, 0, NULL, 0, 0};
  CHECK_STATUS(BKR_UNKNOWN_NAME, bkr_member_find(family, "NONE", &member, &error));
  CHECK(error.code == BKR_UNKNOWN_NAME && error.msg_len > 0);
  error.msg_cap = 100; /* and msg NULL */
  CHECK_STATUS(BKR_UNKNOWN_NAME, bkr_member_find(family, "NONE", &member, &error));
}

static void an_error_is_written_only_on_failure(bkr_family *family) {
  char text[64] = "untouched";
  bkr_member *member = NULL;
  bkr_error error = BKR_ERROR_INIT(text);
  error.code = 99;
  CHECK_STATUS(BKR_OK, bkr_member_find(family, "CPU_ATTN", &member, &error));
  CHECK(error.code == 99 && strcmp(text, "untouched") == 0);
}

static void a_failure_writes_nothing_else(bkr_family *family) {
  bkr_member *const before = bkr_family_member_at(family, 0);
  bkr_member *member = before;
  CHECK_STATUS(BKR_UNKNOWN_NAME, bkr_member_find(family, "NONE", &member, NULL));
  CHECK(member == before);
}

int main(void) {
  bkr_registry *registry = open_alone();
  if (registry == NULL) return check_result();
  bkr_family *attention = bkr_family_at(registry, 0);
  a_text_is_cut_at_every_capacity(attention);
  a_caller_may_want_no_text(attention);
  an_error_is_written_only_on_failure(attention);
  a_failure_writes_nothing_else(attention);
  bkr_registry_close(registry);
  return check_result();
}
