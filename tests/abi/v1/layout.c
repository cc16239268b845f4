/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of every struct of version 1 that crosses the boundary. It is promised: what is asserted here may be
 * added to, never changed. Compiled against the frozen headers, where it holds exactly, and against today's, which may
 * have grown: then only at the end of a struct, and with a larger BKR_ABI_MINOR. This file compiles, or the ABI is
 * broken. */

#include <stddef.h>

#include "backend_registry/backend_registry.h"
#include "backend_registry/interfaces/attention.h"
#include "backend_registry/services/registry.h"

#define MAY_HAVE_GROWN (BKR_ABI_MINOR > 0)
#define END(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

#define SIZE(type, size)                                                              \
  _Static_assert(sizeof(type) == (size) || (MAY_HAVE_GROWN && sizeof(type) > (size)), \
                 #type " has another size, and BKR_ABI_MINOR has not")
#define SIZE_FOR_EVER(type, size) _Static_assert(sizeof(type) == (size), #type " has another size")
#define FIELD(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved")
/* The last field ends where the struct ends: what comes later cannot hide in padding. */
#define LAST(type, field) \
  _Static_assert(END(type, field) == sizeof(type) || MAY_HAVE_GROWN, #type " has padding at its end")

/* ---- the descriptor: the same on every system ---- */

SIZE(bkr_descriptor_header, 256);
FIELD(bkr_descriptor_header, magic, 0);
FIELD(bkr_descriptor_header, header_size, 8);
FIELD(bkr_descriptor_header, record_size, 12);
FIELD(bkr_descriptor_header, record_count, 16);
FIELD(bkr_descriptor_header, total_size, 20);
FIELD(bkr_descriptor_header, abi_major, 24);
FIELD(bkr_descriptor_header, abi_minor_min, 26);
FIELD(bkr_descriptor_header, abi_minor, 28);
FIELD(bkr_descriptor_header, format, 30);
FIELD(bkr_descriptor_header, flags, 32);
FIELD(bkr_descriptor_header, plugin_id, 36);
FIELD(bkr_descriptor_header, version, 132);
LAST(bkr_descriptor_header, zero);

SIZE(bkr_descriptor_record, 512);
FIELD(bkr_descriptor_record, family, 0);
FIELD(bkr_descriptor_record, name, 32);
FIELD(bkr_descriptor_record, path, 96);
FIELD(bkr_descriptor_record, symbol, 288);
FIELD(bkr_descriptor_record, interface_id, 352);
FIELD(bkr_descriptor_record, cpu_level, 416);
FIELD(bkr_descriptor_record, priority, 448);
FIELD(bkr_descriptor_record, flags, 452);
LAST(bkr_descriptor_record, zero);

/* ---- structs with pointers: on systems where those have 64 bits ---- */

#if UINTPTR_MAX == UINT64_MAX

SIZE_FOR_EVER(bkr_status, 4);

SIZE(bkr_error, 32);
FIELD(bkr_error, struct_size, 0);
FIELD(bkr_error, code, 4);
FIELD(bkr_error, native_code, 8);
FIELD(bkr_error, msg_cap, 12);
FIELD(bkr_error, msg, 16);
FIELD(bkr_error, msg_len, 24);
FIELD(bkr_error, stage, 28);
LAST(bkr_error, stage);

SIZE_FOR_EVER(bkr_option, 16);
FIELD(bkr_option, key, 0);
FIELD(bkr_option, value, 8);
LAST(bkr_option, value);

SIZE_FOR_EVER(bkr_service, 16);
FIELD(bkr_service, id, 0);
FIELD(bkr_service, table, 8);
LAST(bkr_service, table);

SIZE(bkr_device, 16);
FIELD(bkr_device, struct_size, 0);
FIELD(bkr_device, device_type, 4);
FIELD(bkr_device, device_id, 8);
FIELD(bkr_device, reserved0, 12);
LAST(bkr_device, reserved0);

SIZE(bkr_config, 56);
FIELD(bkr_config, struct_size, 0);
FIELD(bkr_config, flags, 4);
FIELD(bkr_config, search_dirs, 8);
FIELD(bkr_config, search_dir_count, 16);
FIELD(bkr_config, log_level, 20);
FIELD(bkr_config, log, 24);
FIELD(bkr_config, log_user, 32);
FIELD(bkr_config, services, 40);
FIELD(bkr_config, service_count, 48);
FIELD(bkr_config, reserved0, 52);
LAST(bkr_config, reserved0);

SIZE(bkr_target, 64);
FIELD(bkr_target, struct_size, 0);
FIELD(bkr_target, provider, 4);
FIELD(bkr_target, family, 8);
FIELD(bkr_target, path, 16);
FIELD(bkr_target, file, 24);
FIELD(bkr_target, symbol, 32);
FIELD(bkr_target, backend_name, 40);
FIELD(bkr_target, plugin_id, 48);
FIELD(bkr_target, interface_id, 56);
LAST(bkr_target, interface_id);

SIZE(bkr_selection, 40);
FIELD(bkr_selection, struct_size, 0);
FIELD(bkr_selection, flags, 4);
FIELD(bkr_selection, explicit_name, 8);
FIELD(bkr_selection, facts, 16);
FIELD(bkr_selection, candidates, 24);
FIELD(bkr_selection, fact_count, 32);
FIELD(bkr_selection, candidate_count, 36);
LAST(bkr_selection, candidate_count);

SIZE(bkr_host_api, 24);
FIELD(bkr_host_api, struct_size, 0);
FIELD(bkr_host_api, abi_version, 4);
FIELD(bkr_host_api, log, 8);
FIELD(bkr_host_api, get_service, 16);
LAST(bkr_host_api, get_service);

SIZE(bkr_create_args, 72);
FIELD(bkr_create_args, struct_size, 0);
FIELD(bkr_create_args, flags, 4);
FIELD(bkr_create_args, abi_version, 8);
FIELD(bkr_create_args, option_count, 12);
FIELD(bkr_create_args, family, 16);
FIELD(bkr_create_args, backend_name, 24);
FIELD(bkr_create_args, path, 32);
FIELD(bkr_create_args, options, 40);
FIELD(bkr_create_args, host_api, 48);
FIELD(bkr_create_args, host, 56);
FIELD(bkr_create_args, user, 64);
LAST(bkr_create_args, user);

SIZE(bkr_backend_api, 48);
FIELD(bkr_backend_api, struct_size, 0);
FIELD(bkr_backend_api, flags, 4);
FIELD(bkr_backend_api, name, 8);
FIELD(bkr_backend_api, validate, 16);
FIELD(bkr_backend_api, init, 24);
FIELD(bkr_backend_api, get_interface, 32);
FIELD(bkr_backend_api, destroy, 40);
LAST(bkr_backend_api, destroy);

SIZE_FOR_EVER(bkr_backend, 16);
FIELD(bkr_backend, api, 0);
FIELD(bkr_backend, core, 8);
LAST(bkr_backend, core);

/* bkr.attention/1 */

SIZE(bkr_attention_kv_cache_params, 64);
FIELD(bkr_attention_kv_cache_params, struct_size, 0);
FIELD(bkr_attention_kv_cache_params, flags, 4);
FIELD(bkr_attention_kv_cache_params, num_blocks, 8);
FIELD(bkr_attention_kv_cache_params, block_size, 16);
FIELD(bkr_attention_kv_cache_params, num_kv_heads, 24);
FIELD(bkr_attention_kv_cache_params, head_size, 32);
FIELD(bkr_attention_kv_cache_params, value_head_size, 40);
FIELD(bkr_attention_kv_cache_params, shape, 48);
FIELD(bkr_attention_kv_cache_params, ndim, 56);
LAST(bkr_attention_kv_cache_params, ndim);

SIZE(bkr_attention_write_kv_params, 64);
FIELD(bkr_attention_write_kv_params, struct_size, 0);
FIELD(bkr_attention_write_kv_params, flags, 4);
FIELD(bkr_attention_write_kv_params, key, 8);
FIELD(bkr_attention_write_kv_params, value, 16);
FIELD(bkr_attention_write_kv_params, kv_cache, 24);
FIELD(bkr_attention_write_kv_params, slot_mapping, 32);
FIELD(bkr_attention_write_kv_params, kv_cache_dtype, 40);
FIELD(bkr_attention_write_kv_params, reserved0, 44);
FIELD(bkr_attention_write_kv_params, key_scale, 48);
FIELD(bkr_attention_write_kv_params, value_scale, 56);
LAST(bkr_attention_write_kv_params, value_scale);

SIZE(bkr_attention_forward_params, 144);
FIELD(bkr_attention_forward_params, struct_size, 0);
FIELD(bkr_attention_forward_params, flags, 4);
FIELD(bkr_attention_forward_params, attn_type, 8);
FIELD(bkr_attention_forward_params, causal, 12);
FIELD(bkr_attention_forward_params, window_left, 16);
FIELD(bkr_attention_forward_params, window_right, 20);
FIELD(bkr_attention_forward_params, scale, 24);
FIELD(bkr_attention_forward_params, softcap, 32);
FIELD(bkr_attention_forward_params, query, 40);
FIELD(bkr_attention_forward_params, key, 48);
FIELD(bkr_attention_forward_params, value, 56);
FIELD(bkr_attention_forward_params, kv_cache, 64);
FIELD(bkr_attention_forward_params, query_start_loc, 72);
FIELD(bkr_attention_forward_params, seq_lens, 80);
FIELD(bkr_attention_forward_params, block_table, 88);
FIELD(bkr_attention_forward_params, alibi_slopes, 96);
FIELD(bkr_attention_forward_params, sinks, 104);
FIELD(bkr_attention_forward_params, out, 112);
FIELD(bkr_attention_forward_params, kv_cache_dtype, 120);
FIELD(bkr_attention_forward_params, value_head_size, 124);
FIELD(bkr_attention_forward_params, key_scale, 128);
FIELD(bkr_attention_forward_params, value_scale, 136);
LAST(bkr_attention_forward_params, value_scale);

SIZE(bkr_attention_1, 32);
FIELD(bkr_attention_1, struct_size, 0);
FIELD(bkr_attention_1, flags, 4);
FIELD(bkr_attention_1, kv_cache_shape, 8);
FIELD(bkr_attention_1, write_kv, 16);
FIELD(bkr_attention_1, forward, 24);
LAST(bkr_attention_1, forward);

/* bkr.registry/1 */

SIZE(bkr_registry_service_1, 40);
FIELD(bkr_registry_service_1, struct_size, 0);
FIELD(bkr_registry_service_1, flags, 4);
FIELD(bkr_registry_service_1, find, 8);
FIELD(bkr_registry_service_1, load, 16);
FIELD(bkr_registry_service_1, create, 24);
FIELD(bkr_registry_service_1, destroy, 32);
LAST(bkr_registry_service_1, destroy);

#endif
