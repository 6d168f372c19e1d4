# What `tidemark --version` says. The commit is looked up at every build, and the file is written anew
# only if something changed. This file is also the script that does so.
set(version_template ${CMAKE_CURRENT_LIST_DIR}/build_info.cc.in)

if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(
    COMMAND git -C ${SOURCE_DIR} describe --always --dirty --exclude=* --abbrev=12
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(COMMIT unknown)
  endif()
  configure_file(${version_template} ${OUTPUT} @ONLY)
  return()
endif()

set(TIDEMARK_BUILD_INFO ${CMAKE_BINARY_DIR}/generated/build_info.cc)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}}" TIDEMARK_FLAGS)
if(TIDEMARK_MARCH)
  string(APPEND TIDEMARK_FLAGS " -march=${TIDEMARK_MARCH}")
endif()
if(TIDEMARK_SANITIZE)
  string(APPEND TIDEMARK_FLAGS " -fsanitize=${TIDEMARK_SANITIZE}")
endif()
add_custom_target(tidemark_build_info
  COMMAND ${CMAKE_COMMAND}
    -D SOURCE_DIR=${CMAKE_SOURCE_DIR} -D OUTPUT=${TIDEMARK_BUILD_INFO}
    -D VERSION=${PROJECT_VERSION} -D BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -D "FLAGS=${TIDEMARK_FLAGS}"
    -P ${CMAKE_CURRENT_LIST_FILE}
  BYPRODUCTS ${TIDEMARK_BUILD_INFO}
  COMMENT "Looking up the commit" VERBATIM)
