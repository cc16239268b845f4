# SPDX-License-Identifier: Apache-2.0
# S13: after the installed tree was moved, the plugins that came with the library are found beside it.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
run("${CC}" "${CMAKE_CURRENT_LIST_DIR}/outside/where.c" -o "${WORK}/where" "-I${MOVED}/include"
  "-L${MOVED}/${LIBDIR}" -lbackend_registry "-Wl,-rpath,${MOVED}/${LIBDIR}")
run("${WORK}/where" EXPECT "^${MOVED}/${LIBDIR}/backend_registry/plugins/cpu_attn[^/]*[.]so\n$")
