# SPDX-License-Identifier: Apache-2.0
# backend_add_plugin(<target> [NO_DESCRIPTOR] <source>...)
#
# Builds a plugin: a module without a "lib" prefix, with hidden symbols, that needs the headers of
# backend_registry and nothing of its library. What was linked must hold a descriptor, unless NO_DESCRIPTOR says that it
# is meant to be without. Works in this project's own tree and from the installed package.
function(backend_add_plugin target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_DESCRIPTOR" "" "")
  add_library(${target} MODULE ${arg_UNPARSED_ARGUMENTS})
  if(NOT arg_NO_DESCRIPTOR)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
      COMMAND "${CMAKE_COMMAND}" "-DFILE=$<TARGET_FILE:${target}>" "-DOBJCOPY=${CMAKE_OBJCOPY}"
        -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/check_plugin.cmake")
  endif()
  target_link_libraries(${target} PRIVATE backend_registry::headers)
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    CXX_VISIBILITY_PRESET hidden
    C_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  # A symbol that gcc makes unique in the process would keep the plugin in memory after it is closed.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  if(NOT WIN32 AND NOT APPLE)
    # What is missing shall be seen when the plugin is linked, not when a user loads it. (A sanitizer's own functions
    # are missing from every module: the program brings them.)
    get_directory_property(options COMPILE_OPTIONS)
    if(NOT "${options} ${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize")
      target_link_options(${target} PRIVATE -Wl,--no-undefined)
    endif()
  endif()
endfunction()
