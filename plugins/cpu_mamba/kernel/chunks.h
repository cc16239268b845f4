// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_KERNEL_CHUNKS_H
#define CPU_MAMBA_KERNEL_CHUNKS_H

#include "recurrence.h"

namespace cpu {

// The recurrence in matrix products, `chunk` tokens at a time. With c[i] the sum of g over the tokens of the chunk up
// to i (each exponent below is a sum of g, so nothing grows that the recurrence does not):
//
//     out[i] = e^c[i] q[i] S + sum over j <= i of e^(c[i] - c[j]) (q[i] . k[j]) w[j]
//     S'     = e^c[last] S + sum over j of e^(c[last] - c[j]) k[j]^T w[j]
//
// (state space duality, arXiv 2405.21060, 6). For the delta rule the w of a chunk solve a unit triangular system, which
// is what its recurrence says with S written out (arXiv 2412.06464, 3.2):
//
//     w[i] + beta[i] sum over j < i of e^(c[i] - c[j]) (k[i] . k[j]) w[j] = beta[i] (v[i] - e^c[i] k[i] S)
int64_t floats_in_chunks(const Recurrence &r, int64_t heads, int64_t chunk);
void run_in_chunks(const Recurrence &r, const HeadTask &task, int64_t chunk, float *space);

}  // namespace cpu

#endif  // CPU_MAMBA_KERNEL_CHUNKS_H
