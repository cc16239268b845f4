/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_INTERFACES_MAMBA_H
#define BACKEND_REGISTRY_INTERFACES_MAMBA_H

/* bkr.mamba/1: layers that carry a state from token to token instead of a cache of keys and values, for ragged
 * batches: causal convolution, selective scan (Mamba 1 and 2), linear attention, gated delta rule.
 *
 * Which functions a backend has: BKR_UNSUPPORTED from the others.
 *     MAMBA1, MAMBA2   causal_conv1d, selective_scan          SHORT_CONV   causal_conv1d
 *     GDN_ATTN         causal_conv1d, gated_delta_rule        LINEAR       linear_attention
 *
 * Letters in shapes
 *     T   tokens of the batch, all requests one after the other     R    requests
 *     NS  slots of a state: one for each request that lives         D    channels
 *     W   taps of the convolution                                   H    heads
 *     P   head size of values                                       N    size of the state (of keys)
 *     G   groups of B and C (of query/key heads); G divides H, and head h belongs to group h / (H / G)
 *
 * Requests. Request r has the rows query_start_loc[r] up to query_start_loc[r + 1] of each tensor of T tokens, and the
 * slot state_indices[r] of the state. A negative slot: the request is skipped, its rows of out and no state are
 * written. No two requests of a call have the same slot. Before the first token the state is what the slot holds, or
 * zero where has_initial_state[r] is 0 (then the slot may hold anything); after the last token the slot holds the new
 * one. So a prompt may come in pieces, and decoding is a call with one token for each request: any cut of a sequence
 * into calls gives the same, up to rounding. A request without tokens leaves its slot as it is.
 *
 * Tensors, errors and threads: as in attention.h. In short: borrowed DLTensors on the backend's device, strides
 * in elements or NULL, stride 1 in the last dimension unless said, "float" is float32, float16 or bfloat16, all sums
 * in float32 or better; whatever a caller can get wrong is BKR_INVALID_ARGUMENT before anything is written.
 *
 * The names of the fields are those of the parameters and tensors in recorded cases (`bkr run`); there a case names the
 * function it calls: "params": {"function": "selective_scan", "dt_softplus": true, ...}. `out` need not be among the
 * tensors; expected may be out, conv_state and state. */

#include <dlpack/dlpack.h>

#include "../types.h"

BKR_EXTERN_C_BEGIN

#define BKR_MAMBA_1 "bkr.mamba/1"

/* activation */
#define BKR_MAMBA_ACTIVATION_NONE 0
#define BKR_MAMBA_ACTIVATION_SILU 1 /* x / (1 + exp(-x)) */

/* Room for the dimensions that state_shapes gives. */
#define BKR_MAMBA_MAX_DIMS 8

/* Which shapes the states must have. The shapes are those of the members named; sizes that a member's shapes do not
 * contain are not looked at. */
typedef struct bkr_mamba_state_params {
  uint32_t struct_size;
  uint32_t flags;     /* zero */
  int64_t num_slots;  /* NS >= 1 */
  int64_t num_heads;  /* H >= 1 */
  int64_t head_size;  /* P >= 1; MAMBA1 and SHORT_CONV: D = H * P channels */
  int64_t num_groups; /* G >= 1 */
  int64_t state_size; /* N >= 1 */
  int64_t conv_width; /* W >= 1 */
  /* out, room for BKR_MAMBA_MAX_DIMS numbers each, and how many of them count: 0 if there is no such state.
   *     conv_state  [NS, channels, W - 1]  MAMBA1, SHORT_CONV: D;  MAMBA2: H * P + 2 * G * N;
   *                                        GDN_ATTN: 2 * G * N + H * P;  LINEAR: none
   *     state       MAMBA1 [NS, D, N]   MAMBA2 [NS, H, P, N]   LINEAR [NS, H, N, P]   GDN_ATTN [NS, H, P, N]
   *                 SHORT_CONV: none */
  int64_t *conv_state_shape;
  int64_t *state_shape;
  int32_t *conv_state_ndim;
  int32_t *state_ndim;
} bkr_mamba_state_params;

/* out[t, d] = activation(bias[d] + sum over i < W of weight[d, i] * u[t - (W - 1) + i, d]) * output_gate[t, d]
 *
 * with u = x * input_gate, and before the request's first token the W - 1 columns of conv_state, which afterwards holds
 * the last W - 1 columns of u. (Mamba, arXiv 2312.00752, 3.4; LFM2's gated short convolution: y = C * conv(B * x).) */
typedef struct bkr_mamba_conv_params {
  uint32_t struct_size;
  uint32_t flags;                    /* zero */
  int32_t activation;                /* BKR_MAMBA_ACTIVATION_… */
  int32_t reserved0;                 /* zero */
  const DLTensor *x;                 /* float [T, D] */
  const DLTensor *weight;            /* float [D, W], W >= 1 */
  const DLTensor *bias;              /* float [D], or NULL: 0 */
  const DLTensor *input_gate;        /* float [T, D], x's type, or NULL: 1 */
  const DLTensor *output_gate;       /* float [T, D], x's type, or NULL: 1 */
  const DLTensor *query_start_loc;   /* int32 [R + 1]: first 0, never falling, last T */
  const DLTensor *state_indices;     /* int32 [R]: below NS; negative: skipped */
  const DLTensor *has_initial_state; /* int32 [R], 0 or 1; NULL: 1 for each */
  const DLTensor *conv_state;        /* written: float [NS, D, W - 1]; any strides, also in the last dimension, so that
                                        a cache laid out [NS, W - 1, D] is passed as the view that it is */
  const DLTensor *out;               /* written: [T, D], x's type */
} bkr_mamba_conv_params;

/* The recurrence of a state space with input-dependent steps, state h:
 *
 *     d = dt + dt_bias, and softplus(d) if dt_softplus     (softplus(x) = log(1 + exp(x)), x itself above 20)
 *     h = exp(d * A) * h + d * x * B
 *     out = (h . C + D * x) * silu(z)
 *
 * MAMBA1 (Mamba, arXiv 2312.00752, algorithm 2), each channel on its own, channel c in group c / (D / G):
 *
 *     x, dt, z, out [T, D]     A [D, N]     B, C [T, G, N]     D, dt_bias [D]     state [NS, D, N]
 *
 * MAMBA2 (state space duality, arXiv 2405.21060, 6), one step and one A for a whole head:
 *
 *     x, z, out [T, H, P]     dt [T, H]     A, D, dt_bias [H]     B, C [T, G, N]     state [NS, H, P, N]
 *
 * A model that normalises after the gate (Mamba 2's own mixer) leaves z away and gates behind the scan. */
typedef struct bkr_mamba_scan_params {
  uint32_t struct_size;
  uint32_t flags;                    /* zero */
  int32_t dt_softplus;               /* 0 or 1 */
  int32_t chunk_size;                /* tokens worked on at a time by a backend that works in chunks (MAMBA2); 0: its
                                        own choice, 1: token by token. Changes rounding only */
  const DLTensor *x;                 /* float */
  const DLTensor *dt;                /* float */
  const DLTensor *A;                 /* float32; negative */
  const DLTensor *B;                 /* float, x's type */
  const DLTensor *C;                 /* float, x's type */
  const DLTensor *D;                 /* float, or NULL: 0 */
  const DLTensor *z;                 /* float, x's type, or NULL: no gate */
  const DLTensor *dt_bias;           /* float, or NULL: 0 */
  const DLTensor *query_start_loc;   /* int32 [R + 1] */
  const DLTensor *state_indices;     /* int32 [R] */
  const DLTensor *has_initial_state; /* int32 [R], or NULL: 1 for each */
  const DLTensor *state;             /* written: float, any type whatever x's */
  const DLTensor *out;               /* written: x's type and shape */
} bkr_mamba_scan_params;

/* Linear attention with a decay for each head (lightning attention, arXiv 2401.04658; MiniMax-01, arXiv 2501.08313),
 * state S [N, P]:
 *
 *     S = exp(-slopes[h]) * S + key^T value
 *     out = query S                          (the token itself is seen; no scale, no softmax) */
typedef struct bkr_mamba_linear_params {
  uint32_t struct_size;
  uint32_t flags;                    /* zero */
  int32_t chunk_size;                /* as above */
  int32_t reserved0;                 /* zero */
  const DLTensor *query;             /* float [T, H, N] */
  const DLTensor *key;               /* float [T, H, N], query's type */
  const DLTensor *value;             /* float [T, H, P], query's type */
  const DLTensor *slopes;            /* float32 [H], >= 0 */
  const DLTensor *query_start_loc;   /* int32 [R + 1] */
  const DLTensor *state_indices;     /* int32 [R] */
  const DLTensor *has_initial_state; /* int32 [R], or NULL: 1 for each */
  const DLTensor *state;             /* written: float [NS, H, N, P] */
  const DLTensor *out;               /* written: [T, H, P], query's type */
} bkr_mamba_linear_params;

/* The gated delta rule (Gated DeltaNet, arXiv 2412.06464, 3), state S [P, N], of head h in group g:
 *
 *     k = key[g] / sqrt(sum key[g]^2 + 1e-6),  q = query[g] / sqrt(sum query[g]^2 + 1e-6) / sqrt(N)
 *     S = exp(-exp(A_log) * softplus(a + dt_bias)) * S
 *     S = S + sigmoid(b) * (value - S k) k^T
 *     out = S q
 *
 * Each slot of the state holds rows of values, [H, P, N]: element [h, p, n] belongs to value p and key n. */
typedef struct bkr_mamba_delta_params {
  uint32_t struct_size;
  uint32_t flags;                    /* zero */
  int32_t chunk_size;                /* as above */
  int32_t reserved0;                 /* zero */
  const DLTensor *query;             /* float [T, G, N] */
  const DLTensor *key;               /* float [T, G, N], query's type */
  const DLTensor *value;             /* float [T, H, P], query's type */
  const DLTensor *a;                 /* float [T, H] */
  const DLTensor *b;                 /* float [T, H] */
  const DLTensor *A_log;             /* float [H] */
  const DLTensor *dt_bias;           /* float [H], or NULL: 0 */
  const DLTensor *query_start_loc;   /* int32 [R + 1] */
  const DLTensor *state_indices;     /* int32 [R] */
  const DLTensor *has_initial_state; /* int32 [R], or NULL: 1 for each */
  const DLTensor *state;             /* written: float [NS, H, P, N] */
  const DLTensor *out;               /* written: [T, H, P], query's type */
} bkr_mamba_delta_params;

/* The functions; see the top for which of them a backend has. stream as in attention.h. No function is NULL. */
typedef struct bkr_mamba_1 {
  uint32_t struct_size;
  uint32_t flags; /* zero */

  /* Says which shapes this backend's states have; changes nothing. BKR_INVALID_ARGUMENT for sizes that it cannot hold.
   * [any thread] */
  bkr_status(BKR_CALL *state_shapes)(bkr_backend *backend, const bkr_mamba_state_params *params, void *stream,
                                     bkr_error *error);

  bkr_status(BKR_CALL *causal_conv1d)(bkr_backend *backend, const bkr_mamba_conv_params *params, void *stream,
                                      bkr_error *error);
  bkr_status(BKR_CALL *selective_scan)(bkr_backend *backend, const bkr_mamba_scan_params *params, void *stream,
                                       bkr_error *error);
  bkr_status(BKR_CALL *linear_attention)(bkr_backend *backend, const bkr_mamba_linear_params *params, void *stream,
                                         bkr_error *error);
  bkr_status(BKR_CALL *gated_delta_rule)(bkr_backend *backend, const bkr_mamba_delta_params *params, void *stream,
                                         bkr_error *error);
} bkr_mamba_1;

BKR_EXTERN_C_END

#endif /* BACKEND_REGISTRY_INTERFACES_MAMBA_H */
