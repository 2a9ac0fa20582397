# tf_add_library(NAME DIR [LINK target...]): a static library of every .cpp
# below lib/DIR. A new file needs no edit here; a folder without sources gives
# an INTERFACE library, so that the layers above it can be written first.
# LINK states the layer rule; test/layering.py reads it.
#
# tf_add_executable(NAME SOURCE... LINK target...)
# Both attach MLIR (and its precompiled header) to everything above Core.

set(TRANSFUSION_PCH_HEADERS
  <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/IR/Builders.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/DialectImplementation.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Pass/Pass.h>
  <mlir/Transforms/DialectConversion.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <llvm/ADT/TypeSwitch.h>)

if(NOT TRANSFUSION_CORE_ONLY AND TRANSFUSION_PCH)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/TFPch.cpp CONTENT "")
  add_library(TFPch STATIC ${PROJECT_BINARY_DIR}/TFPch.cpp)
  target_link_libraries(TFPch PRIVATE TFMLIR)
  target_include_directories(TFPch PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_precompile_headers(TFPch PRIVATE ${TRANSFUSION_PCH_HEADERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # A PCH that records time stamps could not be cached.
    set(TRANSFUSION_PCH_FLAGS "SHELL:-Xclang -fno-pch-timestamp")
    target_compile_options(TFPch PRIVATE ${TRANSFUSION_PCH_FLAGS})
  endif()
endif()

function(tf_attach_mlir name)
  add_dependencies(${name} transfusion-headers)
  if(TRANSFUSION_PCH)
    target_compile_options(${name} PRIVATE ${TRANSFUSION_PCH_FLAGS})
    target_precompile_headers(${name} REUSE_FROM TFPch)
  endif()
endfunction()

function(tf_add_library name dir)
  cmake_parse_arguments(ARG "NO_MLIR" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/lib/${dir}/*.cpp)
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${name} PUBLIC ${ARG_LINK})
    if(NOT ARG_NO_MLIR)
      tf_attach_mlir(${name})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${name} INTERFACE ${ARG_LINK})
  endif()
endfunction()

function(tf_add_executable name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_NO_MLIR)
    tf_attach_mlir(${name})
  endif()
endfunction()
