/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_REGISTRY_REGISTRY_H
#define BACKEND_REGISTRY_REGISTRY_H

/* For hosts. The one way through this header:
 *
 *   name ─find▶ member ─path▶ qualified path ─resolve▶ target ─load▶ factory ─create▶ backend ─get_interface▶ kernels
 *
 * Discovery reads the bytes of plugin files when a registry is opened or rescanned; resolving opens nothing;
 * loading is the only step that runs foreign code.
 *
 * Errors     A call that can fail returns a bkr_status and takes a bkr_error (may be NULL) for the text. A call
 *            that fails has changed nothing, and has written nothing through its other pointers except *need.
 *            Handles that are NULL give BKR_INVALID_ARGUMENT, or the neutral answer (NULL, 0) of a getter.
 * Ownership  Families, members, factories and every const char * that is returned belong to the registry and
 *            live until it is closed. Backends belong to the caller.
 * Threads    Every function may be called from any thread, except bkr_registry_close(). Finding members and
 *            reading paths takes no lock. No lock is held while a plugin or the system's loader runs.
 * Fork       In the child every function works, whatever the other threads were doing (fork() waits for a rescan); a
 *            file whose load was under way gives BKR_BUSY, and so does every file that is not loaded yet if the
 *            system's own loader was just changing its list.
 * JSON       Documents are written into (buffer, cap, need): cap 0 asks for the size (returns BKR_OK, *need is
 *            the size with its NUL); a document that does not fit is not written at all (BKR_BUFFER_TOO_SMALL).
 * Exceptions never leave a function of this header. Kernels of an interface table are called directly. */

#include "types.h"

BKR_EXTERN_C_BEGIN

typedef struct bkr_registry bkr_registry; /* all below, and what discovery read */
typedef struct bkr_family bkr_family;     /* one enumeration of backends */

/* ---- opening ------------------------------------------------------------------------------------------- */

/* Receives log lines, on any thread and without a lock held; may call into the registry. text has no NUL
 * to rely on. */
typedef void(BKR_CALL *bkr_log_fn)(void *user, int32_t level, const char *text, size_t len);

#define BKR_CONFIG_NO_ENVIRONMENT 1u  /* no BKR_ variable is read */
#define BKR_CONFIG_NO_DEFAULT_DIRS 2u /* only search_dirs and BKR_PLUGIN_PATH */
#define BKR_CONFIG_STRICT 4u          /* files that others may write, or that belong to others, are refused */
#define BKR_CONFIG_ALLOW_UNLOAD 8u    /* bkr_library_unload() may be used */
/* What is read of plugins is kept for the next process, in $XDG_CACHE_HOME/backend_registry (~/.cache by default), and
 * used for files that are the same. As BKR_CACHE=1; BKR_CACHE=0 takes it back. Never in an elevated process. */
#define BKR_CONFIG_SCAN_CACHE 16u

/* How to open a registry. All of it is copied. */
typedef struct bkr_config {
  uint32_t struct_size;
  uint32_t flags;                 /* BKR_CONFIG_… */
  const char *const *search_dirs; /* searched first, in order; relative ones are fixed now */
  uint32_t search_dir_count;
  int32_t log_level; /* BKR_LOG_…; 0: from BKR_LOG, else BKR_LOG_WARN */
  bkr_log_fn log;    /* NULL: lines go to stderr */
  void *log_user;
  const bkr_service *services; /* offered to plugins */
  uint32_t service_count;
  uint32_t reserved0; /* zero */
} bkr_config;

/* The version of the plugin ABI that this library speaks: major << 16 | minor. */
BKR_API uint32_t BKR_CALL bkr_abi_version(void);

/* The library's version, e.g. "1.0.0". */
BKR_API const char *BKR_CALL bkr_version(void);

/* The name of a status, e.g. "BKR_NOT_FOUND"; "BKR_UNKNOWN_STATUS" for a number that is none. */
BKR_API const char *BKR_CALL bkr_status_name(bkr_status status);

/* Opens a registry: the built-in families, the environment's overrides, and what the search directories hold.
 * No plugin's code runs. config may be NULL. A bad plugin, directory or variable is no error; it is in the
 * report. */
BKR_API bkr_status BKR_CALL bkr_registry_open(const bkr_config *config, bkr_registry **registry, bkr_error *error);

/* Ends the registry with its families, members, factories and strings, at once. Live backends, their libraries,
 * the host's services and its log stay until the last backend is destroyed. NULL does nothing; the default
 * registry is not closed, with one warning. No other thread may be using the registry. */
BKR_API void BKR_CALL bkr_registry_close(bkr_registry *registry);

/* The process's own registry, opened with no configuration at the first call, never closed. */
BKR_API bkr_status BKR_CALL bkr_registry_default(bkr_registry **registry, bkr_error *error);

/* Reads the environment and the search directories again. Members are never removed; a member that a file
 * brought follows its record. No other thread may change the environment meanwhile. */
BKR_API bkr_status BKR_CALL bkr_registry_rescan(bkr_registry *registry, bkr_error *error);

/* How many threads the kernels of this registry's backends may use at the same time, the calling one included: the
 * worker_count of the service bkr.threads/1 (services/threads.h), from the next call on. 0: what BKR_NUM_THREADS said
 * when the registry was opened or rescanned, else one for each CPU that the process may use; so it is without this
 * call. Starts no thread. Of no effect on backends for which the host offers a service of that id itself.
 * BKR_INVALID_ARGUMENT above 1024. */
BKR_API bkr_status BKR_CALL bkr_registry_set_threads(bkr_registry *registry, uint32_t count, bkr_error *error);

/* A number that grows with every change that can alter an answer (override, clear, register, provide, a new
 * family, import, unload, rescan). The same number before and after a computation means that its answer holds. */
BKR_API uint64_t BKR_CALL bkr_registry_epoch(const bkr_registry *registry);

/* What discovery saw, as JSON: directories, files with their verdicts, records and their use, environment. */
BKR_API bkr_status BKR_CALL bkr_registry_report(bkr_registry *registry, char *buffer, size_t cap, size_t *need,
                                                bkr_error *error);

/* Dynamic members and overrides by name, as JSON. Not in this version: BKR_UNSUPPORTED. */
BKR_API bkr_status BKR_CALL bkr_registry_export(bkr_registry *registry, char *buffer, size_t cap, size_t *need,
                                                bkr_error *error);

/* Takes in what bkr_registry_export() wrote: all or nothing. Not in this version: BKR_UNSUPPORTED. */
BKR_API bkr_status BKR_CALL bkr_registry_import(bkr_registry *registry, const char *json, bkr_error *error);

/* Equal in two processes that have the same members, paths and providers. Not in this version: 0. */
BKR_API uint64_t BKR_CALL bkr_registry_fingerprint(bkr_registry *registry);

/* ---- families ------------------------------------------------------------------------------------------ */

/* Finds "attention", "mamba", "mla_prefill", or a family that the host added. BKR_UNKNOWN_FAMILY lists them. */
BKR_API bkr_status BKR_CALL bkr_family_find(bkr_registry *registry, const char *name, bkr_family **family,
                                            bkr_error *error);

/* Adds a family of the host's own. name is an identifier of at most 31 bytes (a record's field holds no more);
 * title is how texts call one of its backends ("sampler backend"). family may be NULL. BKR_ALREADY_EXISTS,
 * BKR_INVALID_NAME. */
BKR_API bkr_status BKR_CALL bkr_family_add(bkr_registry *registry, const char *name, const char *title,
                                           bkr_family **family, bkr_error *error);

/* The families in order of definition; NULL past the end. */
BKR_API bkr_family *BKR_CALL bkr_family_at(bkr_registry *registry, uint32_t index);

BKR_API const char *BKR_CALL bkr_family_name(const bkr_family *family);

/* The members: definition order, then registration order; NULL past the end. No member is ever removed. */
BKR_API bkr_member *BKR_CALL bkr_family_member_at(bkr_family *family, uint32_t index);

/* ---- members ------------------------------------------------------------------------------------------- */

/* Finds a member by its exact name. BKR_UNKNOWN_NAME lists the valid names and the nearest. No lock. */
BKR_API bkr_status BKR_CALL bkr_member_find(bkr_family *family, const char *name, bkr_member **member,
                                            bkr_error *error);

/* Finds the member whose default path this is, overridden or not; of several the newest, but never one that a
 * file brought before one of the host's. BKR_UNKNOWN_NAME. No lock. */
BKR_API bkr_status BKR_CALL bkr_member_find_by_path(bkr_family *family, const char *default_path, bkr_member **member,
                                                    bkr_error *error);

/* Adds a member. path NULL or "": none yet, not usable until overridden. A name that a file brought yields: the
 * call succeeds, the handle stays, and the path becomes the host's. BKR_ALREADY_EXISTS, BKR_INVALID_NAME
 * ([A-Za-z_][A-Za-z0-9_]*, at most 63 bytes, not reserved), BKR_BAD_PATH. member may be NULL. */
BKR_API bkr_status BKR_CALL bkr_member_register(bkr_family *family, const char *name, const char *path,
                                                bkr_member **member, bkr_error *error);

/* Adds a member and overrides it with the same path, so that bkr_member_is_overridden() is true. Errors as
 * bkr_member_register(), but path must not be empty. member may be NULL. */
BKR_API bkr_status BKR_CALL bkr_register_backend(bkr_family *family, const char *name, const char *path,
                                                 bkr_member **member, bkr_error *error);

BKR_API const char *BKR_CALL bkr_member_name(const bkr_member *member);
BKR_API bkr_family *BKR_CALL bkr_member_family(const bkr_member *member);

/* The path without overrides: NULL for CUSTOM and members registered without one, "" for TORCH_SDPA. */
BKR_API const char *BKR_CALL bkr_member_default_path(const bkr_member *member);

/* The path in force, byte for byte as it was given: override by API, else by environment, else the default.
 * BKR_NOT_REGISTERED if there is none. No lock. */
BKR_API bkr_status BKR_CALL bkr_member_path(const bkr_member *member, const char **path, bkr_error *error);

/* The path in force without its class: what stands before the last dot, or the whole path if it has none (or
 * names a file). BKR_NOT_REGISTERED. */
BKR_API bkr_status BKR_CALL bkr_member_module(const bkr_member *member, const char **module, bkr_error *error);

/* 1 if the path in force is an override, by whomever, else 0. No lock. */
BKR_API int32_t BKR_CALL bkr_member_is_overridden(const bkr_member *member);

#define BKR_OVERRIDE_NONE 0
#define BKR_OVERRIDE_API 1
#define BKR_OVERRIDE_ENVIRONMENT 2

/* Who decided the path in force: BKR_OVERRIDE_…. No lock. */
BKR_API int32_t BKR_CALL bkr_member_override_source(const bkr_member *member);

/* Puts a path in place of the member's default; the last one wins. A relative file is fixed against the working
 * directory now. BKR_BAD_PATH: empty, longer than 4095 bytes, a file with a trailing separator, a relative file
 * in a deleted working directory; anything else that leads nowhere fails when it is resolved. */
BKR_API bkr_status BKR_CALL bkr_member_override(bkr_member *member, const char *path, bkr_error *error);

/* Takes the API's override back, which reveals the environment's or the default. Twice is no error. To get the
 * default past the environment's override, override with bkr_member_default_path(). */
BKR_API void BKR_CALL bkr_member_clear_override(bkr_member *member);

/* ---- providers inside the host ------------------------------------------------------------------------- */

/* Makes a function of the host the provider of a dotted path in this family, before any file; the same path
 * again replaces it, a NULL function withdraws it. user comes back in bkr_create_args. Backends made before keep
 * working. BKR_BAD_PATH if the path is not dotted. */
BKR_API bkr_status BKR_CALL bkr_provide(bkr_family *family, const char *path, bkr_create_backend_fn create, void *user,
                                        bkr_error *error);

/* ---- resolving ----------------------------------------------------------------------------------------- */

#define BKR_PROVIDER_IN_PROCESS 1
#define BKR_PROVIDER_RECORD 2
#define BKR_PROVIDER_FILE 3

/* Where a path leads. Strings are NULL where there is nothing to say, and belong to the registry. */
typedef struct bkr_target {
  uint32_t struct_size;     /* in: sizeof(bkr_target) */
  int32_t provider;         /* BKR_PROVIDER_… */
  const char *family;       /* the member's or, for a record, the record's */
  const char *path;         /* the qualified path */
  const char *file;         /* absolute */
  const char *symbol;       /* the create function's name */
  const char *backend_name; /* the record's name */
  const char *plugin_id;
  const char *interface_id;
} bkr_target;

/* Finds out where the member's path leads, from what discovery read: opens nothing and runs nothing.
 * BKR_NOT_REGISTERED, BKR_BAD_PATH, BKR_NOT_FOUND (nobody declares the path; lists each place looked in and its
 * state), or the status of the first provider if all that declare it are unusable. */
BKR_API bkr_status BKR_CALL bkr_member_resolve(const bkr_member *member, bkr_target *target, bkr_error *error);

/* The same decision with its whole trace, as JSON: which path and who decided it, each provider considered and
 * why it was passed over, the target. BKR_OK also when the member cannot be resolved: the document says why. */
BKR_API bkr_status BKR_CALL bkr_member_explain(const bkr_member *member, char *buffer, size_t cap, size_t *need,
                                               bkr_error *error);

/* As bkr_member_resolve(), for a path that no member has. */
BKR_API bkr_status BKR_CALL bkr_path_resolve(bkr_family *family, const char *path, bkr_target *target,
                                             bkr_error *error);

/* ---- choosing ------------------------------------------------------------------------------------------ */

/* How bkr_select() shall choose. All of it is copied. */
typedef struct bkr_selection {
  uint32_t struct_size;
  uint32_t flags;            /* zero */
  const char *explicit_name; /* a member's name; NULL, "" or "auto" (any case): BKR_SELECT_<FAMILY>'s, else automatic */
  const bkr_option *facts;   /* what is needed, e.g. {"head_size", "128"}; of a key that comes twice the last counts */
  const char *const *candidates; /* names of members, the best first; none: every member that has a provider here */
  uint32_t fact_count;
  uint32_t candidate_count;
} bkr_selection;

/* Chooses a member by what it can do. Each candidate is loaded, a backend of it is made without options, asked
 * whether it can serve the facts (validate), and destroyed.
 *
 * Explicit   A name in explicit_name, else in the environment's BKR_SELECT_<FAMILY> (as read at open or rescan; `auto`
 *            in any case is no name): that member or none, whatever candidates says. BKR_CHOICE_REFUSED gives each
 *            reason against it.
 * Automatic  The first candidate that has no reasons against it. Without candidates: the members that have a provider
 *            on this machine or whose path is an override, by the priority of their record (higher first; 0 without a
 *            record), then in the order of bkr_family_member_at(). BKR_NO_VALID_BACKEND gives each reason of each.
 *
 * A candidate that is missing or does not fit this machine, or whose create function says no, is turned down with
 * the reason `STATUS: text`, and the next one is asked. One that is broken ends the selection with its error, since
 * nobody should pass over a defect: BKR_SYMBOL_MISSING, BKR_PLUGIN_EXCEPTION, BKR_CREATE_FAILED (an incomplete
 * table), whatever its validate returns other than BKR_OK (BKR_UNSUPPORTED for what only a selection can say).
 * BKR_REENTRANT: this thread is inside the create or validate of a candidate. A name that there is not is
 * BKR_UNKNOWN_NAME, a named member without a path BKR_NOT_REGISTERED.
 *
 * The answer is remembered until the epoch changes: the same question again runs no foreign code. (Not so while a
 * file could not be read, has changed since, or was being loaded at a fork; nor if nothing was found and a candidate
 * could not be loaded: that may be mended without the registry's knowledge.)
 *
 * The log is warned of a better candidate that only a fixed block_size precludes, or whose plugin is there but cannot
 * be used; and of a chosen attention backend whose own name is no member.
 *
 * report, cap, need: as JSON, which name was chosen, and each candidate with its verdict ("chosen", "turned down",
 * "not tried") and reasons; also with BKR_CHOICE_REFUSED and BKR_NO_VALID_BACKEND. All three may be NULL or 0: no
 * report. A report that does not fit is not written, and changes nothing else: *member is set as well if a member was
 * chosen (BKR_BUFFER_TOO_SMALL), and the two failures stay what they are; compare *need with cap. */
BKR_API bkr_status BKR_CALL bkr_select(bkr_family *family, const bkr_selection *selection, bkr_member **member,
                                       char *report, size_t cap, size_t *need, bkr_error *error);

/* ---- loading ------------------------------------------------------------------------------------------- */

/* Resolves the member and loads its target: runs the library's constructors, nothing else. The first provider
 * decides: if it cannot be loaded no other is tried, and the text names the next. The factory is borrowed.
 *
 * Errors of resolving, and BKR_IO_ERROR, BKR_BAD_FILE, BKR_WRONG_PLATFORM, BKR_BAD_DESCRIPTOR,
 * BKR_ABI_MISMATCH, BKR_DENIED (before the file is opened as code), BKR_STALE (it changed since it was read),
 * BKR_LOAD_FAILED, BKR_DEPENDENCY_MISSING, BKR_SYMBOL_MISSING, BKR_BUSY (after a fork). */
BKR_API bkr_status BKR_CALL bkr_member_load(const bkr_member *member, bkr_factory **factory, bkr_error *error);

/* As bkr_member_load(), for a path that no member has. */
BKR_API bkr_status BKR_CALL bkr_path_load(bkr_family *family, const char *path, bkr_factory **factory,
                                          bkr_error *error);

/* Closes a library that no backend uses, so that the system takes it out of memory; for tests and long-lived tools.
 * file: a path of it, also one that is gone by now. It concerns all registries of the process. A factory outlives
 * it: its next create opens the file again. Destructors of the library run on this thread.
 *
 * BKR_DENIED (the configuration lacks BKR_CONFIG_ALLOW_UNLOAD), BKR_NOT_FOUND, BKR_WRONG_STATE (it is not loaded),
 * BKR_BUSY (it has live backends: how many; nothing was closed), BKR_STAYS_RESIDENT (closed as far as this library
 * can, but the system keeps it in memory: why; it loads again as it is). */
BKR_API bkr_status BKR_CALL bkr_library_unload(bkr_registry *registry, const char *file, bkr_error *error);

/* What one file is, as JSON, from its bytes alone: no registry, none of its code. BKR_OK also for a file that is
 * no plugin: the document says what it is. BKR_NOT_FOUND if there is no such file. */
BKR_API bkr_status BKR_CALL bkr_inspect(const char *file, char *buffer, size_t cap, size_t *need, bkr_error *error);

/* ---- backends ------------------------------------------------------------------------------------------ */

/* Makes a backend; the caller destroys it. options are for the plugin, borrowed for the call.
 * BKR_CREATE_FAILED (the plugin said no, with whatever status, which the text names; or it gave nothing usable),
 * BKR_PLUGIN_EXCEPTION, BKR_OUT_OF_MEMORY, BKR_REENTRANT; errors of loading if the library was unloaded. */
BKR_API bkr_status BKR_CALL bkr_factory_create(bkr_factory *factory, const bkr_option *options, uint32_t count,
                                               bkr_backend **backend, bkr_error *error);

/* Find, load and create in one call. */
BKR_API bkr_status BKR_CALL bkr_backend_open(bkr_registry *registry, const char *family, const char *name,
                                             const bkr_option *options, uint32_t count, bkr_backend **backend,
                                             bkr_error *error);

/* What the backend calls itself. */
BKR_API const char *BKR_CALL bkr_backend_name(const bkr_backend *backend);

/* Asks the backend whether it can serve the facts; emit receives each reason against it, none means yes.
 * emit may be NULL. BKR_OK in either case; another status says that the backend is broken. */
BKR_API bkr_status BKR_CALL bkr_backend_validate(bkr_backend *backend, const bkr_option *facts, uint32_t count,
                                                 bkr_reason_fn emit, void *user, bkr_error *error);

/* Prepares the backend for a device, once, before the first kernel. device NULL: the CPU. BKR_OK if the backend
 * has nothing to prepare; BKR_WRONG_STATE when called again after a success; BKR_INIT_FAILED or the plugin's own
 * status. */
BKR_API bkr_status BKR_CALL bkr_backend_init(bkr_backend *backend, const bkr_device *device, bkr_error *error);

/* Finds the backend's table of kernels by id, e.g. "bkr.attention/1" (interfaces/attention.h). The table lives
 * as long as the backend; its functions are called directly. BKR_UNSUPPORTED if it has none by that id. */
BKR_API bkr_status BKR_CALL bkr_backend_get_interface(bkr_backend *backend, const char *id, const void **table,
                                                      bkr_error *error);

/* Ends the backend; no call on it may be running. NULL does nothing. */
BKR_API void BKR_CALL bkr_backend_destroy(bkr_backend *backend);

BKR_EXTERN_C_END

#endif /* BACKEND_REGISTRY_REGISTRY_H */
