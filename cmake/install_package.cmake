# SPDX-License-Identifier: Apache-2.0
# Installs the library, its headers and the tool, and what makes them found: a CMake package and a pkg-config file.
# All paths inside are relative, so that the installed tree may be moved. (Plugins install themselves.)
include(CMakePackageConfigHelpers)

install(TARGETS backend_registry backend_registry_headers EXPORT backend_registry-targets
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/backend_registry" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

if(TARGET bkr)
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    file(RELATIVE_PATH bindir_to_libdir "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
    if(APPLE)
      set_property(TARGET bkr APPEND PROPERTY INSTALL_RPATH "@loader_path/${bindir_to_libdir}")
    else()
      set_property(TARGET bkr APPEND PROPERTY INSTALL_RPATH "$ORIGIN/${bindir_to_libdir}")
    endif()
  endif()
  install(TARGETS bkr RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# find_package(backend_registry)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/backend_registry")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/backend_registry-config.cmake.in"
  "${PROJECT_BINARY_DIR}/backend_registry-config.cmake" INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/backend_registry-config-version.cmake"
  COMPATIBILITY SameMajorVersion)
install(EXPORT backend_registry-targets NAMESPACE backend_registry:: DESTINATION "${package_dir}")
install(FILES
  "${PROJECT_BINARY_DIR}/backend_registry-config.cmake"
  "${PROJECT_BINARY_DIR}/backend_registry-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/backend_add_plugin.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/check_plugin.cmake"
  DESTINATION "${package_dir}")

# pkg-config backend_registry
set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH pcfiledir_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pcfiledir_to_prefix}")
endif()
foreach(dir IN ITEMS INCLUDEDIR LIBDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(pc_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/backend_registry.pc.in" "${PROJECT_BINARY_DIR}/backend_registry.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/backend_registry.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
