/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are declared and not there yet say so. */

#include "check.h"

#define CHECK_LATER(call)                 \
  do {                                    \
    text[0] = '\0';                       \
    CHECK_STATUS(BKR_UNSUPPORTED, call);  \
    CHECK(text[0] != '\0');               \
    CHECK(error.code == BKR_UNSUPPORTED); \
  } while (0)

int main(void) {
  char text[512];
  char buffer[64];
  size_t need = 0;
  bkr_error error = BKR_ERROR_INIT(text);
  bkr_registry *registry = open_alone();
  if (registry == NULL) return check_result();
  CHECK_LATER(bkr_registry_export(registry, buffer, sizeof(buffer), &need, &error));
  CHECK_LATER(bkr_registry_import(registry, "{}", &error));
  CHECK(bkr_registry_fingerprint(registry) == 0);
  bkr_registry_close(registry);
  return check_result();
}
