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
set(TIDEMARK_SANITIZE "" CACHE STRING "Value of -fsanitize= for everything, such as address,undefined or thread")

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
