// SPDX-License-Identifier: Apache-2.0
#ifndef BACKEND_REGISTRY_BACKEND_REGISTRY_HPP
#define BACKEND_REGISTRY_BACKEND_REGISTRY_HPP

// All of the C++ interface but the kernels' (interfaces/…, which need DLPack).

#include "error.hpp"
#include "plugin.hpp"
#include "register_backend.hpp"
#include "registry.hpp"

#endif  // BACKEND_REGISTRY_BACKEND_REGISTRY_HPP
