// SPDX-License-Identifier: Apache-2.0
#ifndef ENGINE_DENSE_H
#define ENGINE_DENSE_H

// What stands between the backends' kernels in a model. All rows are tokens.

#include <random>

#include "tensor.h"

namespace engine {

// [inputs, outputs], with values that keep the size of what they are multiplied with.
Floats random_weights(std::mt19937 &random, int64_t inputs, int64_t outputs);

// x [T, inputs] . weights [inputs, outputs]
Floats multiply(const Floats &x, const Floats &weights);

// Each run of `size` values of a row divided by its root mean square.
void rms_norm(Floats &x, int64_t size);

// Turns the pairs (i, i + size / 2) of a vector by angles that grow with the position (RoPE, arXiv 2104.09864).
void rotate(float *values, int64_t size, int64_t position);

float silu(float x);

}  // namespace engine

#endif  // ENGINE_DENSE_H
