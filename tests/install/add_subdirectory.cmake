# SPDX-License-Identifier: Apache-2.0
# A project that adds the sources to its own build gets the library and nothing else. (What was built stays, so that
# only the first run takes long.)
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/subdirectory" -B "${WORK}" -G "${GENERATOR}"
  "-DCMAKE_C_COMPILER=${CC}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DSOURCE=${SOURCE}" -DCMAKE_BUILD_TYPE=)
run("${CMAKE_COMMAND}" --build "${WORK}")
run("${WORK}/override_host" "${WORK}/my_attention.so" EXPECT "calls itself MY_ATTN")
