// SPDX-License-Identifier: Apache-2.0
#include <backend_registry/plugin.h>

bkr_status BKR_CALL create_backend(const bkr_create_args *, bkr_backend **, bkr_error *) { return BKR_UNSUPPORTED; }

BKR_PLUGIN("test.good_cpp", "4", BKR_BACKEND("attention", "CPP", "test.cpp.Backend", create_backend, "", "", 0));
