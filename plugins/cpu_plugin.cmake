# SPDX-License-Identifier: Apache-2.0
# add_cpu_plugin(<name> <source>...): a plugin of this project's kernels, and the code in common/.
#
# One source, one file for each CPU level in BKR_CPU_LEVELS; the loader takes the highest that the machine has.
#   <name>.so           the first level: what every machine of the architecture is expected to have
#   <name>.<level>.so   another one, e.g. x86-64-v3 (AVX2, FMA, F16C)
# The source finds its own level's words in the macro CPU_PLUGIN_LEVEL.
set(default_levels "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(default_levels x86-64-v2 x86-64-v3 x86-64-v4)
  if(BKR_SANITIZE)
    set(default_levels x86-64-v3)  # it is the same source, and takes long enough once
  endif()
endif()
set(BKR_CPU_LEVELS "${default_levels}" CACHE STRING "CPU levels that the plugins are built for, the lowest first")

function(add_cpu_plugin name)
  set(first_level "")
  if(BKR_CPU_LEVELS)
    list(GET BKR_CPU_LEVELS 0 first_level)
  endif()
  add_one_level(${name} ${name} "${first_level}" ${ARGN})
  set(targets ${name})
  foreach(level IN LISTS BKR_CPU_LEVELS)
    if(NOT level STREQUAL first_level)
      string(REPLACE "-" "_" target "${name}_${level}")
      add_one_level(${target} ${name}.${level} ${level} ${ARGN})
      list(APPEND targets ${target})
    endif()
  endforeach()
  # For the tests: a target and a file for each level.
  set_property(GLOBAL PROPERTY BKR_TARGETS_OF_${name} ${targets})
endfunction()

function(add_one_level target file level)
  backend_add_plugin(${target} ${ARGN} "${PROJECT_SOURCE_DIR}/plugins/common/requests.cpp"
    "${PROJECT_SOURCE_DIR}/plugins/common/tensor.cpp")
  target_link_libraries(${target} PRIVATE Eigen3::Eigen)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE "CPU_PLUGIN_LEVEL=\"${level}\"")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/plugins")
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF OUTPUT_NAME "${file}")
  # The kernels keep their sums in registers only if their short loops are unrolled.
  target_compile_options(${target} PRIVATE $<$<NOT:$<OR:$<CONFIG:Debug>,$<BOOL:${BKR_SANITIZE}>>>:-O3> $<$<BOOL:${level}>:-march=${level}>)
  if(level STREQUAL "x86-64-v4" AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # That compiler's own AVX-512 headers begin with a vector that is "uninitialised" (gcc bug 105593).
    target_compile_options(${target} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  if(BKR_INSTALL)
    install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/backend_registry/plugins")
  endif()
endfunction()
