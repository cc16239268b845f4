// SPDX-License-Identifier: Apache-2.0
// A plugin in C++ with several backends: create functions of their own, and one BKR_PLUGIN that lists them.
#include "../backends.h"

BKR_CREATE_FUNCTION(create_doubler, api_test::Doubler)
BKR_CREATE_FUNCTION(create_choosy, api_test::Choosy)
BKR_CREATE_FUNCTION(create_observed, api_test::Observed)

BKR_PLUGIN("org.example.several", "1.2.3",
           BKR_BACKEND("attention", "DOUBLER", "several.Doubler", create_doubler, BKR_TEST_DOUBLER, "", 0),
           BKR_BACKEND("attention", "CHOOSY", "several.Choosy", create_choosy, "", "", 0),
           BKR_BACKEND("mamba", "OBSERVED", "several.Observed", create_observed, "", "", 0));
