set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(TIDEMARK_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TIDEMARK_BUILD_BENCHMARKS "Build the Google Benchmark programs" ${PROJECT_IS_TOP_LEVEL})
option(TIDEMARK_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
# Saves a third of a whole build of the tests; ccache cannot keep what is compiled so.
option(TIDEMARK_PRECOMPILE_TESTS "Precompile the test framework's headers" OFF)
# Saves the linking of a hundred programs.
option(TIDEMARK_JOIN_TESTS "One test program per folder instead of one per file" OFF)
set(TIDEMARK_SANITIZE "" CACHE STRING "Value of -fsanitize= for everything, such as address,undefined or thread")

# AVX2 and friends, which any x86 server since 2013 has: the loops over columns use them. The command
# checks for them when it starts.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(TIDEMARK_MARCH "x86-64-v3" CACHE STRING "Value of -march= for everything; x86-64 for any CPU")
else()
  set(TIDEMARK_MARCH "" CACHE STRING "Value of -march= for everything")
endif()
if(TIDEMARK_MARCH)
  add_compile_options(-march=${TIDEMARK_MARCH})
endif()

find_program(TIDEMARK_CCACHE ccache)
if(TIDEMARK_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TIDEMARK_CCACHE})
endif()

if(TIDEMARK_SANITIZE)
  add_compile_options(-fsanitize=${TIDEMARK_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TIDEMARK_SANITIZE})
  if(TIDEMARK_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# Warnings are errors in our own code; libraries come in as system headers.
add_library(tidemark_warnings INTERFACE)
target_compile_options(tidemark_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wold-style-cast -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlaps in its own std::string (GCC bug 105651).
  target_compile_options(tidemark_warnings INTERFACE -Wno-restrict)
endif()
if(TIDEMARK_SANITIZE MATCHES "thread")
  # The queue library uses fences, which the thread sanitizer does not model.
  target_compile_options(tidemark_warnings INTERFACE -Wno-tsan)
endif()

# tidemark_component(NAME runtime DEPENDS ...): one static library from the sources of a folder.
function(tidemark_component)
  cmake_parse_arguments(ARG "" "NAME" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(tidemark_${ARG_NAME} STATIC ${sources})
  add_library(tidemark::${ARG_NAME} ALIAS tidemark_${ARG_NAME})
  set_target_properties(tidemark_${ARG_NAME} PROPERTIES EXPORT_NAME ${ARG_NAME})
  target_compile_features(tidemark_${ARG_NAME} PUBLIC cxx_std_20)
  target_link_libraries(tidemark_${ARG_NAME} PUBLIC ${ARG_DEPENDS}
                        PRIVATE $<BUILD_INTERFACE:tidemark_warnings>)
  target_include_directories(tidemark_${ARG_NAME} PUBLIC
    $<BUILD_INTERFACE:${TIDEMARK_INCLUDE_TREE}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()
