# One precompiled header for every target above Core.
#
# Not target_precompile_headers: it names the header by an absolute path behind
# -Xclang, which ccache cannot make relative, so that two checkouts of the
# project would share nothing. Here the header is an object file of its own,
# compiled with exactly the flags of its users, and users name it in a way that
# ccache understands. The header itself is not cached (it records its own path);
# its users are hashed against TFPch.cpp.o.sum, which says what is in it.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(TRANSFUSION_PCH OFF)
endif()

if(NOT TRANSFUSION_CORE_ONLY AND TRANSFUSION_PCH)
  set(_headers
    mlir/Dialect/Affine/IR/AffineOps.h
    mlir/Dialect/Arith/IR/Arith.h
    mlir/Dialect/Func/IR/FuncOps.h
    mlir/Dialect/Linalg/IR/Linalg.h
    mlir/Dialect/Math/IR/Math.h
    mlir/Dialect/MemRef/IR/MemRef.h
    mlir/Dialect/SCF/IR/SCF.h
    mlir/Dialect/Tensor/IR/Tensor.h
    mlir/IR/Builders.h
    mlir/IR/BuiltinOps.h
    mlir/IR/DialectImplementation.h
    mlir/IR/PatternMatch.h
    mlir/Pass/Pass.h
    mlir/Transforms/DialectConversion.h
    mlir/Transforms/GreedyPatternRewriteDriver.h
    llvm/ADT/TypeSwitch.h)
  list(TRANSFORM _headers REPLACE "(.+)" "#include <\\1>\n")
  list(JOIN _headers "" _text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/TFPch.cpp CONTENT "${_text}")

  add_library(TFPch OBJECT ${PROJECT_BINARY_DIR}/TFPch.cpp)
  target_link_libraries(TFPch PRIVATE TFMLIR)
  target_compile_options(TFPch PRIVATE "SHELL:-x c++-header"
                         -fpch-instantiate-templates)
  set_target_properties(TFPch PROPERTIES CXX_COMPILER_LAUNCHER "")

  set(TRANSFUSION_PCH_FILE
      ${PROJECT_BINARY_DIR}/CMakeFiles/TFPch.dir/TFPch.cpp.o)
  file(TIMESTAMP ${LLVM_LIBRARY_DIR}/libMLIR.so _stamp UTC)
  file(CONFIGURE OUTPUT ${TRANSFUSION_PCH_FILE}.sum CONTENT
       "${CMAKE_CXX_COMPILER_VERSION} ${LLVM_PACKAGE_VERSION} ${_stamp}\n${_text}")
endif()

# tf_attach_mlir(NAME SOURCE...): compiles the sources of NAME with the header,
# once it and the files that TableGen generates exist.
function(tf_attach_mlir name)
  add_dependencies(${name} transfusion-headers)
  if(TRANSFUSION_PCH)
    add_dependencies(${name} TFPch)
    target_compile_options(${name} PRIVATE
                           "SHELL:-include-pch ${TRANSFUSION_PCH_FILE}")
    set_source_files_properties(${ARGN} PROPERTIES
                                OBJECT_DEPENDS ${TRANSFUSION_PCH_FILE})
  endif()
endfunction()
