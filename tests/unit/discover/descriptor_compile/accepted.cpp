// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/plugin.h>

#define FAMILY "atten" "tion"

BKR_EXPORT bkr_status BKR_CALL create_fast(const bkr_create_args *args, bkr_backend **backend, bkr_error *error);

BKR_PLUGIN("test.accepted", BKR_VERSION,
           BKR_BACKEND(FAMILY, "ONE", "test.accepted.One", create_backend, "bkr.attention/1", "", 0),
           BKR_BACKEND(FAMILY, "ONE", "test.accepted.One", create_fast, "bkr.attention/1", "x86-64-v3", -2147483647),
           BKR_BACKEND("mamba", "_2", "test.gepr\xc3\xbc" "ft.Two", create_fast, "", "", 1 + 1));
