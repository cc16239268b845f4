/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_STATUS_H
#define BACKEND_REGISTRY_STATUS_H

#include <stdint.h>

/* What a call returns. The constants are untyped and their numbers never change, so that hosts in other
 * languages may copy them. */
typedef int32_t bkr_status;

#define BKR_OK 0
#define BKR_INVALID_ARGUMENT \
  1 /* NULL where a value is needed, unknown flag, wrong struct_size; in kernels: names tensor and dimension */
#define BKR_UNKNOWN_FAMILY 2      /* no such family; the text lists them */
#define BKR_UNKNOWN_NAME 3        /* no such member; the text lists the valid names and the nearest */
#define BKR_NOT_REGISTERED 4      /* the member has no path yet (CUSTOM, TORCH_SDPA) */
#define BKR_ALREADY_EXISTS 5      /* the name is taken */
#define BKR_INVALID_NAME 6        /* not an identifier, too long, or reserved */
#define BKR_BAD_PATH 7            /* the qualified path cannot lead anywhere */
#define BKR_NOT_FOUND 8           /* nobody provides the path, or a named file does not exist; lists where it looked */
#define BKR_IO_ERROR 9            /* the system would not let the file be read */
#define BKR_BAD_FILE 10           /* empty, truncated, not a regular file, not a shared library */
#define BKR_WRONG_PLATFORM 11     /* other format, machine, word size, byte order, or CPU level; says both */
#define BKR_BAD_DESCRIPTOR 12     /* torn, lying, or two of them */
#define BKR_ABI_MISMATCH 13       /* built for another plugin ABI; says both versions */
#define BKR_LOAD_FAILED 14        /* the system's loader refused; its own text is kept */
#define BKR_DEPENDENCY_MISSING 15 /* a library that the plugin needs is missing; names both */
#define BKR_SYMBOL_MISSING 16     /* the create function is not in that very library */
#define BKR_CREATE_FAILED 17      /* the plugin said no, or returned something unusable */
#define BKR_INIT_FAILED 18        /* the backend could not prepare its device */
#define BKR_PLUGIN_EXCEPTION 19   /* an exception reached the boundary and was stopped there */
#define BKR_UNSUPPORTED 20        /* unknown interface or service, or a function that is not there */
#define BKR_NO_VALID_BACKEND 21   /* selection: every candidate was turned down; all reasons in the text */
#define BKR_CHOICE_REFUSED 22     /* selection: the explicit choice was turned down */
#define BKR_WRONG_STATE 23        /* a call out of order */
#define BKR_BUSY 24               /* in use, or a load that was running when the process forked */
#define BKR_REENTRANT 25          /* this factory is creating a backend on this very thread */
#define BKR_STALE 26              /* the file is another one than was read; rescan */
#define BKR_STAYS_RESIDENT 27     /* unloaded as far as we can, but the system keeps it; says why */
#define BKR_DENIED 28             /* security policy, or not allowed by the configuration */
#define BKR_BUFFER_TOO_SMALL 29   /* a JSON document did not fit; *need says how much it takes */
#define BKR_OUT_OF_MEMORY 30
#define BKR_INTERNAL 31 /* a defect in this library */

/* How far a file came on its way to a backend, in this order. bkr_error::stage and the word in the JSON
 * documents ("stage") name the step that failed. */
#define BKR_STAGE_NONE 0
#define BKR_STAGE_OPEN 1       /* "open"       a regular file, opened without blocking */
#define BKR_STAGE_FORMAT 2     /* "format"     ELF, PE, Mach-O, or what else it is */
#define BKR_STAGE_MACHINE 3    /* "machine"    machine, word size, byte order */
#define BKR_STAGE_KIND 4       /* "kind"       a shared library; not a program, not debug data */
#define BKR_STAGE_SEGMENTS 5   /* "segments"   every loadable segment lies inside the file */
#define BKR_STAGE_DESCRIPTOR 6 /* "descriptor" sound */
#define BKR_STAGE_ABI 7        /* "abi"        accepted */
#define BKR_STAGE_CPU 8        /* "cpu"        the level is met */
#define BKR_STAGE_POLICY 9     /* "policy"     permissions and filters */
#define BKR_STAGE_DUPLICATE 10 /* "duplicate"  another name of a file already seen */
#define BKR_STAGE_LOAD 11      /* "load"       opened by the system's loader */
#define BKR_STAGE_SYMBOL 12    /* "symbol"     found inside that very library */
#define BKR_STAGE_CREATE 13    /* "create"     the create function returned, its backend was checked */

/* Where a failing call puts its text. The memory is the caller's; every call accepts NULL instead. Written
 * only on failure.
 *
 * The text says what was asked, what was found, and what to do next; its first line is a summary. It is
 * UTF-8, NUL-terminated, and cut on a character's boundary when it does not fit. */
typedef struct bkr_error {
  uint32_t struct_size; /* in: sizeof(bkr_error) */
  int32_t code;         /* out: the status that was returned */
  int32_t native_code;  /* out: errno or GetLastError() of a system call of ours or the plugin's, else 0 */
  uint32_t msg_cap;     /* in: bytes at msg, 0 for none */
  char *msg;            /* in: at most msg_cap bytes are written here */
  uint32_t msg_len;     /* out: bytes the whole text needs without its NUL, as snprintf() counts */
  int32_t stage;        /* out: BKR_STAGE_… that failed, or BKR_STAGE_NONE */
} bkr_error;

/* Initialises a bkr_error that writes into a char array:
 *     char text[512];
 *     bkr_error error = BKR_ERROR_INIT(text); */
#define BKR_ERROR_INIT(buffer) \
  { (uint32_t)sizeof(bkr_error), 0, 0, (uint32_t)sizeof(buffer), (buffer), 0, 0 }

#endif /* BACKEND_REGISTRY_STATUS_H */
