# SPDX-License-Identifier: Apache-2.0
# run(<command>... [EXPECT <regex>] [ENVIRONMENT <variable>...] [OUTPUT <variable>]): the command must succeed, and
# say so. The machine's own settings and plugins have no part in it.
cmake_minimum_required(VERSION 3.25)

function(run)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "EXPECT;OUTPUT" "ENVIRONMENT")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env --unset=BKR_PLUGIN_PATH --unset=BKR_DEFAULT_DIRS --unset=LD_LIBRARY_PATH
      --unset=DESTDIR "XDG_DATA_HOME=${WORK}/no-such-directory" ${arg_ENVIRONMENT} ${arg_UNPARSED_ARGUMENTS}
    RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  list(JOIN arg_UNPARSED_ARGUMENTS " " command)
  if(result)
    message(FATAL_ERROR "${command}\nfailed (${result}):\n${said}")
  endif()
  if(arg_EXPECT AND NOT said MATCHES "${arg_EXPECT}")
    message(FATAL_ERROR "${command}\nwas to say '${arg_EXPECT}', but said:\n${said}")
  endif()
  if(arg_OUTPUT)
    string(STRIP "${said}" said)
    set(${arg_OUTPUT} "${said}" PARENT_SCOPE)
  endif()
endfunction()
