/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_INTERFACES_ATTENTION_H
#define BACKEND_REGISTRY_INTERFACES_ATTENTION_H

/* bkr.attention/1: attention over a paged cache of keys and values, for ragged batches.
 *
 * A host asks for the table by its id and calls the functions in it:
 *     const void *found;
 *     bkr_backend_get_interface(backend, BKR_ATTENTION_1, &found, &error);
 *     const bkr_attention_1 *attention = (const bkr_attention_1 *)found;
 *
 * Letters in shapes
 *     T   tokens of the batch, all requests one after the other     R   requests
 *     H   query heads                                               KH  key/value heads; KH divides H
 *     D   head size of queries and keys                             DV  head size of values; DV = D unless said
 *     NB  blocks of the cache                                       BS  tokens in a block
 *   Query head h reads key/value head h / (H / KH).
 *
 * Tensors are borrowed for the call: neither kept nor freed. Each is a DLTensor with
 *   - the device the backend was made for (a CPU backend: kDLCPU);
 *   - the rank, shape and element type given at its field, lanes 1, data + byte_offset aligned to its elements;
 *   - strides NULL (compact, row-major) or in elements, none negative. Floating-point tensors of rank 2 and more
 *     have stride 1 in the last dimension; all other strides are free, so that q, k and v may be views into one
 *     projection. The stride of a dimension of size 1 is not looked at. A tensor that is written has no two
 *     elements in one place and shares no memory with another one of the call.
 * "float" below is any of float32, float16, bfloat16. Sums are accumulated in float32 or better.
 *
 * Errors. BKR_INVALID_ARGUMENT for all that a caller can get wrong; the text names the tensor, the dimension or
 * element, what it is and what it should be: "block_table[1,3] is 17, but kv_cache has 8 blocks (dimension 1)".
 * BKR_UNSUPPORTED for what this interface knows but the backend does not have. Both are found before anything is
 * written: every tensor is as it was. After BKR_OUT_OF_MEMORY what was to be written may be anything.
 * What cannot be seen is not checked: whether memory is as large as a shape says, and whether tensors overlap.
 *
 * Threads. One call at a time on one backend, unless BKR_BACKEND_CONCURRENT stands in its flags.
 *
 * The names of the fields are those of the parameters and tensors in recorded cases (`bkr run`), e.g.
 *     {"interface": "bkr.attention/1",
 *      "params":    {"scale": 0.5, "causal": true, "window_left": 4, "attn_type": "decoder"},
 *      "tensors":   {"query": {"dtype": "float32", "shape": [3, 2, 4], "data": [0.1, …]}, …},
 *      "expected":  {"out": {"dtype": "float32", "shape": [3, 2, 4], "data": [0.2, …]}},
 *      "tolerance": {"absolute": 1e-5, "relative": 1e-5}}
 * A case with slot_mapping calls write_kv first, then forward if it has a query. Of the params only scale must be
 * given (with a query); the others have the value of BKR_ATTENTION_FORWARD_INIT, but causal is false by itself for
 * the types other than decoder. attn_type is written "decoder", "encoder", "encoder_only" or "encoder_decoder",
 * kv_cache_dtype "auto", "fp8_e4m3" or "fp8_e5m2". Expected may be out and kv_cache; out need not be among the
 * tensors. Non-finite numbers are written "nan", "inf", "-inf". */

#include <dlpack/dlpack.h>

#include "../types.h"

BKR_EXTERN_C_BEGIN

#define BKR_ATTENTION_1 "bkr.attention/1"

/* What attends to what (attn_type). */
#define BKR_ATTN_DECODER 0         /* to the request's own tokens, in the cache */
#define BKR_ATTN_ENCODER 1         /* to the tokens of this very call, both ways; no cache */
#define BKR_ATTN_ENCODER_ONLY 2    /* the same, in a model without decoder */
#define BKR_ATTN_ENCODER_DECODER 3 /* to the encoder's tokens, in the cache (cross attention) */

/* How the bytes of kv_cache are read (kv_cache_dtype). DLPack 0.6 has no 8-bit floats: such a cache is a uint8
 * tensor, and this field says what it holds. */
#define BKR_KV_CACHE_AUTO 0     /* as the tensor says */
#define BKR_KV_CACHE_FP8_E4M3 1 /* 4 exponent, 3 mantissa bits, no infinities */
#define BKR_KV_CACHE_FP8_E5M2 2

/* Room for the dimensions that kv_cache_shape gives. */
#define BKR_KV_CACHE_MAX_DIMS 8

/* Which shape kv_cache must have. */
typedef struct bkr_attention_kv_cache_params {
  uint32_t struct_size;
  uint32_t flags;          /* zero */
  int64_t num_blocks;      /* NB >= 1 */
  int64_t block_size;      /* BS >= 1 */
  int64_t num_kv_heads;    /* KH >= 1 */
  int64_t head_size;       /* D >= 1; of a latent cache the whole row */
  int64_t value_head_size; /* DV, 0: as head_size */
  int64_t *shape;          /* out: BKR_KV_CACHE_MAX_DIMS numbers of room */
  int32_t *ndim;           /* out: how many of them count */
} bkr_attention_kv_cache_params;

/* Puts keys and values into the cache. */
typedef struct bkr_attention_write_kv_params {
  uint32_t struct_size;
  uint32_t flags;        /* zero */
  const DLTensor *key;   /* float [T, KH, D] */
  const DLTensor *value; /* float [T, KH, DV], key's type */
  /* Written. Float, whatever key's type (rounded to nearest, ties to even), in the backend's shape:
   *   [2, NB, KH, BS, D]  keys are [0], values [1]; DV <= D, and what lies behind a row's DV is not written
   *   [NB, BS, D']        latent (MLA): KH = 1, one row holds key followed by value, D' = D + DV
   * Token t goes to block slot / BS, place slot % BS, where slot = slot_mapping[t]. */
  const DLTensor *kv_cache;
  const DLTensor *slot_mapping; /* int64 [T]; a negative slot: the token is skipped. Of equal slots the last wins */
  int32_t kv_cache_dtype;       /* BKR_KV_CACHE_… */
  int32_t reserved0;            /* zero */
  double key_scale;             /* 8-bit caches: what is stored is key / key_scale; otherwise both are 0 */
  double value_scale;
} bkr_attention_write_kv_params;

/* out = softmax(mask(bias(scale * query . key))) . value, for each query token and head on its own.
 *
 * Request r has the query rows query_start_loc[r] up to query_start_loc[r + 1], and seq_len keys: seq_lens[r], or
 * as many as it has query rows for the encoder types. Its queries stand at the end of its keys: query i of q_len
 * has position pos = seq_len - q_len + i. Key j < seq_len is seen if all of these hold:
 *     causal = 0        or  j <= pos
 *     window_left < 0   or  j >= pos - window_left      (4: five keys, itself included)
 *     window_right < 0  or  j <= pos + window_right
 * and, in this order,
 *     s = scale * (query . key)
 *     s = softcap * tanh(s / softcap)      if softcap > 0     (Gemma 2, arXiv 2408.00118, 2)
 *     s = s + alibi_slopes[h] * (j - pos)  if alibi_slopes    (ALiBi, arXiv 2108.12409, 3)
 *     p = exp(s - max) / sum exp(s - max)  over the keys seen, and sinks[h] beside them as one more s without a
 *                                          value, if sinks    (arXiv 2309.17453; gpt-oss)
 * A row that sees no key gives 0, with a sink as well. */
typedef struct bkr_attention_forward_params {
  uint32_t struct_size;
  uint32_t flags;                  /* zero */
  int32_t attn_type;               /* BKR_ATTN_… */
  int32_t causal;                  /* 0 or 1; 1 for BKR_ATTN_DECODER only, and then seq_len >= q_len */
  int32_t window_left;             /* tokens before pos that are seen, -1: all. A window of W tokens: W - 1 */
  int32_t window_right;            /* tokens behind pos that are seen, -1: all */
  double scale;                    /* finite; usually 1 / sqrt(D) */
  double softcap;                  /* 0: off. The encoder types have none: ignored there, with a warning in the log */
  const DLTensor *query;           /* float [T, H, D] */
  const DLTensor *key;             /* encoder types: float [T, KH, D], query's type; otherwise not looked at */
  const DLTensor *value;           /* encoder types: float [T, KH, DV], query's type; otherwise not looked at */
  const DLTensor *kv_cache;        /* types with a cache: as in write_kv, float, whatever query's type; a latent row of
                                      D elements is the key, its first DV are the value. Otherwise not looked at */
  const DLTensor *query_start_loc; /* int32 [R + 1]: first 0, never falling, last T */
  const DLTensor *seq_lens;        /* types with a cache: int32 [R], >= 0, at most max_blocks * BS */
  /* Types with a cache: int32 [R, max_blocks]. Token j of request r is in block block_table[r, j / BS], place
   * j % BS. Only entries of blocks with a key that some query of the request sees are read, and of the cache
   * only keys and values below seq_len: what lies elsewhere may be anything. */
  const DLTensor *block_table;
  const DLTensor *alibi_slopes; /* float32 [H], or NULL: no ALiBi */
  const DLTensor *sinks;        /* float [H], or NULL: no sinks */
  const DLTensor *out;          /* written: [T, H, DV], query's type */
  int32_t kv_cache_dtype;       /* BKR_KV_CACHE_… */
  int32_t value_head_size;      /* DV, 0: D (or what value says, for the encoder types). A latent cache needs it */
  double key_scale;             /* 8-bit caches: key = stored * key_scale; otherwise both are 0 */
  double value_scale;
} bkr_attention_forward_params;

/* Everything off, no tensors: bkr_attention_forward_params params = BKR_ATTENTION_FORWARD_INIT; set the rest. */
#define BKR_ATTENTION_FORWARD_INIT                                                                                \
  {                                                                                                               \
    (uint32_t)sizeof(bkr_attention_forward_params), 0, BKR_ATTN_DECODER, 1, -1, -1, 0, 0, NULL, NULL, NULL, NULL, \
        NULL, NULL, NULL, NULL, NULL, NULL, BKR_KV_CACHE_AUTO, 0, 0, 0                                            \
  }

/* The functions. stream is where a device queues the work (a CPU backend: NULL, and the work is done when the
 * function returns). No function is NULL. The table lives as long as the backend. */
typedef struct bkr_attention_1 {
  uint32_t struct_size;
  uint32_t flags; /* zero */

  /* Says which shape this backend's kv_cache has; changes nothing. BKR_INVALID_ARGUMENT for sizes that it cannot
   * hold. [any thread] */
  bkr_status(BKR_CALL *kv_cache_shape)(bkr_backend *backend, const bkr_attention_kv_cache_params *params, void *stream,
                                       bkr_error *error);

  /* kv_cache[slot_mapping[t]] = key[t], value[t]. To be called before the forward that shall see the tokens;
   * not called where a layer shares another's cache. */
  bkr_status(BKR_CALL *write_kv)(bkr_backend *backend, const bkr_attention_write_kv_params *params, void *stream,
                                 bkr_error *error);

  /* Attention of every query token: out. */
  bkr_status(BKR_CALL *forward)(bkr_backend *backend, const bkr_attention_forward_params *params, void *stream,
                                bkr_error *error);
} bkr_attention_1;

BKR_EXTERN_C_END

#endif /* BACKEND_REGISTRY_INTERFACES_ATTENTION_H */
