// SPDX-License-Identifier: Apache-2.0
// A plugin in C++ with one backend, by the one macro.
#include "../backends.h"

BKR_CPP_PLUGIN(api_test::Doubler, "org.example.single", "0.1", "mla_prefill", "SINGLE", "single.Doubler",
               BKR_TEST_DOUBLER);
