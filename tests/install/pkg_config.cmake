# SPDX-License-Identifier: Apache-2.0
# The same without CMake: a compiler and pkg-config.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
set(outside "${WORK}/pkg-config")
file(MAKE_DIRECTORY "${outside}")
set(here ENVIRONMENT "PKG_CONFIG_PATH=${MOVED}/${LIBDIR}/pkgconfig")
run("${PKG_CONFIG}" --modversion backend_registry ${here} EXPECT "^${VERSION}\n$")
run("${PKG_CONFIG}" --variable=plugindir backend_registry ${here} OUTPUT plugin_dir)
if(NOT EXISTS "${plugin_dir}/cpu_attn.so")
  message(FATAL_ERROR "pkg-config says that plugins are in ${plugin_dir}")
endif()
run(sh -c "'${CC}' -std=c11 '${SOURCE}/tests/hosts/host.c' -o '${outside}/host_c' \
  $('${PKG_CONFIG}' --cflags --libs backend_registry) \
  -Wl,-rpath,$('${PKG_CONFIG}' --variable=libdir backend_registry)" ${here})
run(sh -c "'${CXX}' -std=c++17 -shared -fPIC -fvisibility=hidden \
  '${SOURCE}/plugins/template/cpp/my_attention.cpp' -o '${outside}/my_attention.so' \
  $('${PKG_CONFIG}' --cflags backend_registry)" ${here})
run("${outside}/host_c" EXPECT "CPU_ATTN is ready")
run("${outside}/host_c" ENVIRONMENT "BKR_OVERRIDE_ATTENTION_CPU_ATTN=${outside}/my_attention.so"
  EXPECT "MY_ATTN is ready")
