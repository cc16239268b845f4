# SPDX-License-Identifier: Apache-2.0
# Installs the build tree, and moves what was installed to where the other tests use it: MOVED. Nothing stays at the
# first place.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")
file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/first/place")
get_filename_component(parent "${MOVED}" DIRECTORY)
file(MAKE_DIRECTORY "${parent}")
file(RENAME "${WORK}/first/place" "${MOVED}")
file(REMOVE_RECURSE "${WORK}/first")

# Nothing that is installed knows where it was built or first installed.
file(GLOB texts "${MOVED}/${LIBDIR}/cmake/backend_registry/*" "${MOVED}/${LIBDIR}/pkgconfig/*")
if(NOT texts)
  message(FATAL_ERROR "no package files in ${MOVED}/${LIBDIR}")
endif()
foreach(file IN LISTS texts)
  file(READ "${file}" text)
  foreach(place IN ITEMS "${BUILD}" "${SOURCE}" "${WORK}/first")
    string(FIND "${text}" "${place}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names ${place}")
    endif()
  endforeach()
endforeach()
