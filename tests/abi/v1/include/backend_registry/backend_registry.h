/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_BACKEND_REGISTRY_H
#define BACKEND_REGISTRY_BACKEND_REGISTRY_H

/* All of the C interface but the kernels' (interfaces/…, which need DLPack). */

#include "plugin.h"
#include "registry.h"

#endif /* BACKEND_REGISTRY_BACKEND_REGISTRY_H */
