/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_INTERFACES_MLA_PREFILL_H
#define BACKEND_REGISTRY_INTERFACES_MLA_PREFILL_H

/* bkr.mla_prefill/1: the prefill of multi-head latent attention (DeepSeek-V2, arXiv 2405.04434), on keys and values
 * that the model has expanded from the latent rows; for ragged batches. (Decoding on the latent rows themselves is
 * bkr.attention/1 with a latent cache.)
 *
 * A prompt whose context is in the cache already is worked on in parts: prefill of the new tokens on themselves
 * (causal), prefill of the new tokens on each chunk of the context (not causal), and merge of the parts. The result is
 * that of attention over everything at once (arXiv 2501.01005, 2.2).
 *
 * Letters in shapes
 *     T   query tokens of the batch, all requests one after the other     H   heads, of queries, keys and values alike
 *     S   key tokens of the batch                                         D   head size of queries and keys
 *     R   requests                                                        DV  head size of values
 *
 * Tensors, errors and threads: as in attention.h; "float" is float32, float16 or bfloat16. The names of the fields are
 * those of the parameters and tensors in recorded cases (`bkr run`); there a case names the function it calls:
 * "params":
 * {"function": "prefill", "scale": 0.5, "causal": true}. `out` and `lse` need not be among the tensors. */

#include <dlpack/dlpack.h>

#include "../types.h"

BKR_EXTERN_C_BEGIN

#define BKR_MLA_PREFILL_1 "bkr.mla_prefill/1"

/* s = scale * query . key;  out = softmax(s) . value;  lse = log(sum exp(s)), natural, over the keys seen.
 *
 * Request r has the query rows query_start_loc[r] up to query_start_loc[r + 1], and the key rows key_start_loc[r] up to
 * key_start_loc[r + 1]. Causal: query i sees the keys j <= i, both counted from the request's first; the request then
 * has as many keys as queries. Not causal: it sees all keys. A row that sees no key gives out 0 and lse -inf. */
typedef struct bkr_mla_prefill_params {
  uint32_t struct_size;
  uint32_t flags;                  /* zero */
  int32_t causal;                  /* 0 or 1 */
  int32_t reserved0;               /* zero */
  double scale;                    /* finite; usually 1 / sqrt(D) */
  const DLTensor *query;           /* float [T, H, D] */
  const DLTensor *key;             /* float [S, H, D], query's type */
  const DLTensor *value;           /* float [S, H, DV], query's type; DV may be larger or smaller than D */
  const DLTensor *query_start_loc; /* int32 [R + 1]: first 0, never falling, last T */
  const DLTensor *key_start_loc;   /* int32 [R + 1]: first 0, never falling, last S */
  const DLTensor *out;             /* written: [T, H, DV], value's type */
  const DLTensor *lse;             /* written: float32 [H, T], or NULL */
} bkr_mla_prefill_params;

/* out = (exp(lse_a) * out_a + exp(lse_b) * out_b) / (exp(lse_a) + exp(lse_b));  lse = log(exp(lse_a) + exp(lse_b))
 *
 * computed relative to the larger of the two, so that nothing overflows. A part with lse -inf counts nothing, whatever
 * its out holds; two of them give out 0 and lse -inf. out and lse may be the very tensors of part a or of part b: same
 * data, same strides. */
typedef struct bkr_mla_merge_params {
  uint32_t struct_size;
  uint32_t flags;        /* zero */
  const DLTensor *out_a; /* float [T, H, DV] */
  const DLTensor *lse_a; /* float32 [H, T] */
  const DLTensor *out_b; /* float [T, H, DV], out_a's type */
  const DLTensor *lse_b; /* float32 [H, T] */
  const DLTensor *out;   /* written: [T, H, DV], out_a's type */
  const DLTensor *lse;   /* written: float32 [H, T], or NULL */
} bkr_mla_merge_params;

/* The functions. stream as in attention.h. No function is NULL. */
typedef struct bkr_mla_prefill_1 {
  uint32_t struct_size;
  uint32_t flags; /* zero */

  bkr_status(BKR_CALL *prefill)(bkr_backend *backend, const bkr_mla_prefill_params *params, void *stream,
                                bkr_error *error);
  bkr_status(BKR_CALL *merge)(bkr_backend *backend, const bkr_mla_merge_params *params, void *stream, bkr_error *error);
} bkr_mla_prefill_1;

BKR_EXTERN_C_END

#endif /* BACKEND_REGISTRY_INTERFACES_MLA_PREFILL_H */
