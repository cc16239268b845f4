# SPDX-License-Identifier: Apache-2.0
# BKR_SANITIZE=address also turns on the undefined-behaviour sanitizer; =thread stands alone.
set(BKR_SANITIZE "" CACHE STRING "Sanitizers to build with: address, thread, or nothing")
set_property(CACHE BKR_SANITIZE PROPERTY STRINGS "" address thread)

if(BKR_SANITIZE STREQUAL "address")
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined)
elseif(BKR_SANITIZE STREQUAL "thread")
  set(sanitize -fsanitize=thread)
elseif(BKR_SANITIZE)
  message(FATAL_ERROR "BKR_SANITIZE is '${BKR_SANITIZE}'; it takes 'address' or 'thread'")
endif()
if(BKR_SANITIZE)
  add_compile_options(${sanitize} -fno-omit-frame-pointer)
  add_link_options(${sanitize})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc loses sight of what is initialised, in std::regex for one, once it has put its checks in.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

# The fuzzers of tests/fuzz in place of the other tests. libFuzzer is clang's: every source is compiled for it here,
# and linked to its main() there.
option(BKR_FUZZ "Build the fuzzers, and no other test (clang)" OFF)
if(BKR_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "BKR_FUZZ needs clang; the compiler is ${CMAKE_CXX_COMPILER}")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
