# SPDX-License-Identifier: Apache-2.0
# What the library is for, shown on real files. Stops with an error at the first step that goes otherwise than it
# should.
#   cmake -DTOOL=<bkr> -DPLUGIN=<cpu_attn.so> -DHOST=<override_host> -DCASE=<case.json> -DDIR=<where to work> -P demo.cmake
# DIR is emptied first, and is the only place that is written to.
cmake_minimum_required(VERSION 3.25)

# cmake -E echo writes to stdout at once; message() would not.
function(say text)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${text}")
endfunction()

set(step 0)
function(heading text)
  math(EXPR number "${step} + 1")
  set(step ${number} PARENT_SCOPE)
  say("== ${number}. ${text}\n")
endfunction()

# show(<command as typed> [EXIT <code>] [ONLY <regex of lines>] COMMAND <program> <argument>...)
function(show typed)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXIT;ONLY" "COMMAND")
  if(NOT DEFINED arg_EXIT)
    set(arg_EXIT 0)
  endif()
  say("$ ${typed}")
  execute_process(COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${DIR}" RESULT_VARIABLE code
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(arg_ONLY)
    string(REGEX MATCHALL "[^\n]*(${arg_ONLY})[^\n]*" lines "${output}")
    string(JOIN "\n" output ${lines})
  endif()
  string(REGEX REPLACE "\n$" "" output "${output}")
  say("${output}\n")
  if(NOT code STREQUAL arg_EXIT)
    message(FATAL_ERROR "`${typed}` ended with ${code}; ${arg_EXIT} was expected.")
  endif()
endfunction()

# A shell's own settings and plugins have no part in this.
execute_process(COMMAND "${CMAKE_COMMAND}" -E environment OUTPUT_VARIABLE environment)
string(REGEX MATCHALL "(^|\n)BKR_[A-Za-z0-9_]+=" settings "${environment}")
foreach(setting IN LISTS settings)
  string(REGEX REPLACE "[\n=]" "" setting "${setting}")
  unset(ENV{${setting}})
endforeach()

file(REMOVE_RECURSE "${DIR}")
file(MAKE_DIRECTORY "${DIR}/plugins")
configure_file("${CASE}" "${DIR}/case.json" COPYONLY)
get_filename_component(tool_dir "${TOOL}" DIRECTORY)
set(ENV{BKR_DEFAULT_DIRS} 0)
set(ENV{BKR_PLUGIN_PATH} plugins)

say("All that follows can be typed again, after:
$ cd ${DIR}
$ export PATH=\"${tool_dir}:$PATH\" BKR_DEFAULT_DIRS=0 BKR_PLUGIN_PATH=plugins
")

heading("An empty directory: CPU_ATTN is a known name, but nobody provides it")
show("bkr why attention.CPU_ATTN" EXIT 1 COMMAND "${TOOL}" why attention.CPU_ATTN)

heading("A file is dropped into it. Its bytes say what it provides; none of its code runs")
say("$ cp ${PLUGIN} plugins/")
file(COPY "${PLUGIN}" DESTINATION "${DIR}/plugins")
get_filename_component(file "${PLUGIN}" NAME)
string(REPLACE "." "\\." file_regex "${file}")
show("bkr list attention | grep -e PROVIDER -e ${file}" ONLY "PROVIDER|${file_regex}" COMMAND "${TOOL}" list attention)

heading("Why that file")
show("bkr why attention.CPU_ATTN" COMMAND "${TOOL}" why attention.CPU_ATTN)

heading("Now it is loaded: it computes a recorded case, whose right result is known from 64-bit arithmetic")
show("bkr run attention.CPU_ATTN case.json" COMMAND "${TOOL}" run attention.CPU_ATTN case.json)

heading("The same file as CUSTOM, a name that has no path of its own: one variable gives it one")
set(ENV{BKR_OVERRIDE_ATTENTION_CUSTOM} "plugins/${file}")
say("$ export BKR_OVERRIDE_ATTENTION_CUSTOM=plugins/${file}")
show("bkr why attention.CUSTOM" COMMAND "${TOOL}" why attention.CUSTOM)
show("bkr run attention.CUSTOM case.json" COMMAND "${TOOL}" run attention.CUSTOM case.json)

heading("A program overrides FLASH_ATTN while it runs, and takes that back (tests/hosts/override_host.cpp)")
get_filename_component(host "${HOST}" NAME)
show("${host} plugins/${file}" COMMAND "${HOST}" "plugins/${file}")

say("Done: every step went as it should. The files are in ${DIR}")
