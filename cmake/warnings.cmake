# SPDX-License-Identifier: Apache-2.0
# Warnings for our own code. Only the top-level project sets them: a host that adds us keeps its own.
option(BKR_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(BKR_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()

# gcc 12 sees overlapping copies in std::string that are not there (gcc bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
