/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_VERSION_H
#define BACKEND_REGISTRY_VERSION_H

/* The library's own version. The build reads it from here; it stands nowhere else. */
#define BKR_VERSION "1.0.0"

/* The plugin ABI of these headers.
 *
 * A plugin is accepted when its major number equals the library's and the minor number that it needs at
 * least (BKR_ABI_MINOR_MIN, written into its descriptor) is not above the library's minor number. A larger
 * minor in the plugin is no obstacle: what it added lies behind struct_size.
 *
 * The host side is versioned by the SONAME, whose number is BKR_ABI_MAJOR. */
#define BKR_ABI_MAJOR 1
#define BKR_ABI_MINOR 0
#define BKR_ABI_MINOR_MIN 0

/* As bkr_abi_version() and bkr_create_args::abi_version carry it. */
#define BKR_ABI_VERSION (((uint32_t)BKR_ABI_MAJOR << 16) | (uint32_t)BKR_ABI_MINOR)

#endif /* BACKEND_REGISTRY_VERSION_H */
