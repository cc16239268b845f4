/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_EXPORT_H
#define BACKEND_REGISTRY_EXPORT_H

/* How a symbol crosses the edge of a shared library, on each system.
 *
 * BKR_API     a function that libbackend_registry offers
 * BKR_EXPORT  a symbol that a plugin offers
 * BKR_CALL    the calling convention of every function and function pointer in these headers
 */

#if defined(_WIN32)
#define BKR_CALL __cdecl
#define BKR_EXPORT __declspec(dllexport)
#if defined(BKR_BUILDING_LIBRARY)
#define BKR_API __declspec(dllexport)
#else
#define BKR_API __declspec(dllimport)
#endif
#else
#define BKR_CALL
#define BKR_EXPORT __attribute__((visibility("default")))
#define BKR_API __attribute__((visibility("default")))
#endif

#if defined(__cplusplus)
#define BKR_EXTERN_C_BEGIN extern "C" {
#define BKR_EXTERN_C_END }
#else
#define BKR_EXTERN_C_BEGIN
#define BKR_EXTERN_C_END
#endif

#endif /* BACKEND_REGISTRY_EXPORT_H */
