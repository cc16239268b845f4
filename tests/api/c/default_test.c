/* SPDX-License-Identifier: Apache-2.0 */
/* The process's own registry: one, opened at first use, never closed. */

#include "check.h"

int main(void) {
  bkr_registry *first = NULL;
  bkr_registry *second = NULL;
  bkr_family *family = NULL;
  CHECK_STATUS(BKR_OK, bkr_registry_default(&first, NULL));
  CHECK_STATUS(BKR_OK, bkr_registry_default(&second, NULL));
  CHECK(first != NULL && first == second);
  bkr_registry_close(first);
  CHECK_STATUS(BKR_OK, bkr_family_find(first, "attention", &family, NULL));
  CHECK_TEXT("attention", bkr_family_name(family));
  return check_result();
}
