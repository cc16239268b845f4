/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_DESCRIPTOR_H
#define BACKEND_REGISTRY_DESCRIPTOR_H
#include "types.h"
#endif
