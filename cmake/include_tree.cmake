# Headers are included as "tidemark/runtime/batch.h", here as from an installed copy. In the build
# tree that path leads to the source folders through links.
set(TIDEMARK_INCLUDE_TREE ${CMAKE_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${TIDEMARK_INCLUDE_TREE}/tidemark)
foreach(folder runtime operators connectors perf)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${TIDEMARK_INCLUDE_TREE}/tidemark/${folder} SYMBOLIC)
endforeach()
