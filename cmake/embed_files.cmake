# embed_files(TARGET target HEADER name.h NAMES a b FILES a.css b.js): makes each file a constant of
# the target, `extern const std::string_view a`, in <name>.h's namespace, so that programs need no
# files beside them. This file is also the script that writes the source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(source "// Written by cmake/embed_files.cmake.\n#include \"${HEADER}\"\n\nnamespace tidemark {\nnamespace {\n")
  set(views "")
  foreach(name file IN ZIP_LISTS NAMES FILES)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND source "constexpr char ${name}_bytes[] = {${bytes}};\n")
    string(APPEND views "const std::string_view ${name}{${name}_bytes, sizeof ${name}_bytes};\n")
  endforeach()
  file(WRITE ${OUTPUT} "${source}}  // namespace\n\n${views}\n}  // namespace tidemark\n")
  return()
endif()

function(embed_files)
  cmake_parse_arguments(ARG "" "TARGET;HEADER" "NAMES;FILES" ${ARGN})
  get_filename_component(concept ${ARG_HEADER} NAME_WE)
  set(output ${CMAKE_BINARY_DIR}/generated/${concept}.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D HEADER=${ARG_HEADER}
      "-DNAMES=${ARG_NAMES}" "-DFILES=${ARG_FILES}"
      -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${ARG_FILES} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    COMMENT "Embedding ${concept}" VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${ARG_TARGET} PRIVATE ${output})
endfunction()
