# SPDX-License-Identifier: Apache-2.0
# Projects outside find the package in the moved tree: the README's programs, and the template plugins, each of which
# is a project of its own.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
function(build source binary)
  run("${CMAKE_COMMAND}" -S "${source}" -B "${binary}" -G "${GENERATOR}" "-DCMAKE_C_COMPILER=${CC}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${MOVED}" "-DSOURCE=${SOURCE}")
  run("${CMAKE_COMMAND}" --build "${binary}")
endfunction()

set(outside "${WORK}/outside")
build("${CMAKE_CURRENT_LIST_DIR}/outside" "${outside}")
build("${SOURCE}/plugins/template/c" "${outside}/c")
build("${SOURCE}/plugins/template/cpp" "${outside}/cpp")
run("${outside}/host_c" EXPECT "CPU_ATTN is ready")
run("${outside}/host_cpp" EXPECT "CPU_ATTN leads to vllm.*CPU_ATTN is ready")
run("${outside}/override_host" "${outside}/cpp/my_attention.so" EXPECT "calls itself MY_ATTN.*taken back: FLASH_ATTN")
run("${outside}/own_family_host" ENVIRONMENT "BKR_PLUGIN_PATH=${outside}/c" EXPECT "GREEDY picks token 1")
