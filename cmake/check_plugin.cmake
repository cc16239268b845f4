# SPDX-License-Identifier: Apache-2.0
# Looks at a plugin that was just linked: cmake -DFILE=<plugin> [-DOBJCOPY=<objcopy>] -P check_plugin.cmake. It must hold
# one descriptor; a linker drops without a word the one of an object file that lies in an archive and that nothing refers
# to. It is known by its first bytes, so that this works for every machine that a plugin can be for.
get_filename_component(name "${FILE}" NAME)

# Its section alone where there is a tool to take it out: some plugins are very large.
set(look_at "${FILE}")
if(OBJCOPY)
  execute_process(COMMAND "${OBJCOPY}" -O binary --only-section=.note.bkr --only-section=.bkr "${FILE}" "${FILE}.descriptor"
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed AND EXISTS "${FILE}.descriptor")
    set(look_at "${FILE}.descriptor")
  endif()
endif()
file(READ "${look_at}" bytes HEX)
file(REMOVE "${FILE}.descriptor")

string(REGEX MATCHALL "424b520d0a1a0a01" found "${bytes}")
list(LENGTH found count)
if(count EQUAL 0)
  message(FATAL_ERROR "${name} has no descriptor. Put BKR_PLUGIN or BKR_CPP_PLUGIN into one of its own sources, not into "
    "a static library that it links; or say NO_DESCRIPTOR in backend_add_plugin(), if it is meant to be without and to "
    "be reached by a path `file::symbol`.")
elseif(count GREATER 1)
  message(FATAL_ERROR "${name} has ${count} descriptors. List all its backends in one BKR_PLUGIN.")
endif()
