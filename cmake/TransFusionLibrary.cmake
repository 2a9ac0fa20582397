# tf_add_library(NAME DIR [LINK target...]): a static library of every .cpp
# below lib/DIR. A new file needs no edit here; a folder without sources gives
# an INTERFACE library, so that the layers above it can be written first.
# LINK states the layer rule; test/layering.py reads it. A folder inside another
# one that is a library of its own comes first: what it has claimed is its own.
#
# tf_add_executable(NAME SOURCE... LINK target...)
# Both attach MLIR (and its precompiled header) to everything above Core.

function(tf_add_library name dir)
  cmake_parse_arguments(ARG "NO_MLIR" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/lib/${dir}/*.cpp)
  get_property(claimed GLOBAL PROPERTY TF_LIBRARY_SOURCES)
  if(sources AND claimed)
    list(REMOVE_ITEM sources ${claimed})
  endif()
  set_property(GLOBAL APPEND PROPERTY TF_LIBRARY_SOURCES ${sources})
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
    target_link_libraries(${name} PUBLIC ${ARG_LINK})
    if(NOT ARG_NO_MLIR)
      tf_attach_mlir(${name} ${sources})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
    target_link_libraries(${name} INTERFACE ${ARG_LINK})
  endif()
  # Installed as TransFusion::Core, TransFusion::EinsumIR, ...
  string(REGEX REPLACE "^TF" "" exported ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${exported})
  set_property(GLOBAL APPEND PROPERTY TRANSFUSION_LAYERS ${name})
endfunction()

function(tf_add_executable name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_NO_MLIR)
    tf_attach_mlir(${name} ${ARG_UNPARSED_ARGUMENTS})
  endif()
endfunction()
