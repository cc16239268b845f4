# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=… -DINCLUDE=… -DSOURCE=… -DCASE=… [-DEXPECT=text] -P does_not_compile.cmake
# Compiles one case: with EXPECT it must fail and say so, without it must pass.
execute_process(
  COMMAND "${COMPILER}" -std=c++17 -fsyntax-only -w "-I${INCLUDE}" "-D${CASE}" "${SOURCE}"
  RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_VARIABLE said)
if(NOT EXPECT AND result)
  message(FATAL_ERROR "${CASE} must compile:\n${said}")
elseif(EXPECT AND NOT result)
  message(FATAL_ERROR "${CASE} compiles")
elseif(EXPECT)
  string(FIND "${said}" "${EXPECT}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${CASE} is refused, but not with '${EXPECT}':\n${said}")
  endif()
endif()
