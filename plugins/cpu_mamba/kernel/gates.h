// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_MAMBA_KERNEL_GATES_H
#define CPU_MAMBA_KERNEL_GATES_H

// What both ways to compute a recurrence read and write for some tokens of a head. Rows that are read have room for
// round_up(their length) floats, with zeros behind the last; `token` counts within the batch.

#include "recurrence.h"

namespace cpu {

// Of each token the log of the decay, and the factor of its value: d for the scan, 1 for linear attention, beta for the
// delta rule. Both have room for round_up(count) floats.
void read_gates(const Recurrence &r, int64_t token, int64_t count, int64_t head, float *log_decay, float *factor);

// Whether none of the tokens' own gates is infinite or no number.
bool finite_gates(const Recurrence &r, int64_t token, int64_t count, int64_t head);

// Rows of query and key, `stride` floats apart; normalised for the delta rule.
void read_queries(const Recurrence &r, int64_t token, int64_t count, int64_t group, float *to, int64_t stride);
void read_keys(const Recurrence &r, int64_t token, int64_t count, int64_t group, float *to, int64_t stride);

// One row of value.
void read_value(const Recurrence &r, int64_t token, int64_t head, float *to);

// Writes one row of out: adds what skips the state and applies the gate, if the scan has them. `space` is as long as
// the row, which is changed.
void write_out(const Recurrence &r, int64_t token, int64_t head, float *row, float *space);

// A row of any type to floats, with zeros up to round_up(count).
void read_row(const std::byte *from, Element element, int64_t count, float *to);
void write_row(const float *from, int64_t count, std::byte *to, Element element);

}  // namespace cpu

#endif  // CPU_MAMBA_KERNEL_GATES_H
