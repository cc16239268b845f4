# SPDX-License-Identifier: Apache-2.0
# A project outside finds the package in the moved tree, builds the README's programs and plugins, and runs them. S13:
# the plugins that came with the library are found beside it.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
set(outside "${WORK}/outside")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/outside" -B "${outside}" -G "${GENERATOR}"
  "-DCMAKE_C_COMPILER=${CC}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${MOVED}" "-DSOURCE=${SOURCE}")
run("${CMAKE_COMMAND}" --build "${outside}")
run("${outside}/host_c" EXPECT "CPU_ATTN is ready")
run("${outside}/host_cpp" EXPECT "CPU_ATTN leads to vllm.*CPU_ATTN is ready")
run("${outside}/where" EXPECT "^${MOVED}/${LIBDIR}/backend_registry/plugins/cpu_attn[^/]*[.]so\n$")
run("${outside}/override_host" "${outside}/my_attention.so" EXPECT "calls itself MY_ATTN.*taken back: FLASH_ATTN")
run("${outside}/own_family_host" ENVIRONMENT "BKR_PLUGIN_PATH=${outside}" EXPECT "GREEDY picks token 1")
