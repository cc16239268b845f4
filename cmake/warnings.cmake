# SPDX-License-Identifier: Apache-2.0
# Warnings for our own code. Only the top-level project sets them: a host that adds us keeps its own.
option(BKR_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(BKR_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
