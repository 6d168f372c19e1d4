# `cmake --install` and find_package(tidemark): static libraries, headers under include/tidemark, and
# the targets tidemark::runtime, operators, connectors, perf and, for all of them, tidemark::tidemark.
include(CMakePackageConfigHelpers)

set(TIDEMARK_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tidemark)

add_library(tidemark_all INTERFACE)
add_library(tidemark::tidemark ALIAS tidemark_all)
set_target_properties(tidemark_all PROPERTIES EXPORT_NAME tidemark)
target_link_libraries(tidemark_all INTERFACE tidemark_perf)

install(TARGETS tidemark_runtime tidemark_operators tidemark_connectors tidemark_perf tidemark_all
        EXPORT tidemarkTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tidemark RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT tidemarkTargets NAMESPACE tidemark:: DESTINATION ${TIDEMARK_PACKAGE_DIR})
foreach(folder runtime operators connectors perf)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder}/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tidemark/${folder} FILES_MATCHING PATTERN "*.h")
endforeach()

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/tidemarkConfig.cmake.in ${CMAKE_BINARY_DIR}/tidemarkConfig.cmake
  INSTALL_DESTINATION ${TIDEMARK_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/tidemarkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tidemarkConfig.cmake
              ${CMAKE_BINARY_DIR}/tidemarkConfigVersion.cmake
        DESTINATION ${TIDEMARK_PACKAGE_DIR})
