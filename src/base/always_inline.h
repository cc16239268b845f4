// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_ALWAYS_INLINE_H
#define BKR_BASE_ALWAYS_INLINE_H

// For the few functions that engines call per request, or a scan for each text: part of a caller that is compiled for
// speed. (Of one that is not, the linker would keep any file's copy, also one compiled for size.)
#if defined(__GNUC__)
#define BKR_ALWAYS_INLINE [[gnu::always_inline]] inline
#else
#define BKR_ALWAYS_INLINE inline
#endif

#endif  // BKR_BASE_ALWAYS_INLINE_H
