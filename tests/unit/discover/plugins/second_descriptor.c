/* SPDX-License-Identifier: Apache-2.0 */
/* The macro's object has one name, so that a second one does not link; under another name it does. */
#define bkr_plugin_descriptor another_plugin_descriptor
#include <backend_registry/plugin.h>

BKR_PLUGIN("test.second", "1", BKR_BACKEND("attention", "SECOND", "test.second.Backend", create_backend, "", "", 0));
