# SPDX-License-Identifier: Apache-2.0
# The installed tool runs from the moved tree, with the library and the plugins beside it.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
run("${MOVED}/bin/bkr" list attention EXPECT "CPU_ATTN")
run("${MOVED}/bin/bkr" why attention.CPU_ATTN EXPECT "${MOVED}/${LIBDIR}/backend_registry/plugins/cpu_attn[^/]*[.]so")
