# One precompiled header for every target above Core, one for Core's tests.
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

# tf_add_pch(NAME STAMP LINK target... HEADERS header...): STAMP says which
# version of what is in the headers.
function(tf_add_pch name stamp)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS" ${ARGN})
  list(TRANSFORM ARG_HEADERS REPLACE "(.+)" "#include <\\1>\n")
  list(JOIN ARG_HEADERS "" text)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp
       CONTENT "${text}")

  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_compile_options(${name} PRIVATE "SHELL:-x c++-header"
                         -fpch-instantiate-templates)
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
  set(file ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/${name}.cpp.o)
  set_target_properties(${name} PROPERTIES TF_PCH_FILE ${file})
  file(CONFIGURE OUTPUT ${file}.sum CONTENT
       "${CMAKE_CXX_COMPILER_VERSION} ${stamp}\n${text}")
endfunction()

# tf_use_pch(PCH TARGET SOURCE...): compiles the sources of TARGET with PCH.
function(tf_use_pch pch target)
  get_target_property(file ${pch} TF_PCH_FILE)
  add_dependencies(${target} ${pch})
  target_compile_options(${target} PRIVATE "SHELL:-include-pch ${file}")
  # Appended: a source may be part of two targets.
  set_property(SOURCE ${ARGN} APPEND PROPERTY OBJECT_DEPENDS ${file})
endfunction()

if(NOT TRANSFUSION_CORE_ONLY AND TRANSFUSION_PCH)
  file(TIMESTAMP ${LLVM_LIBRARY_DIR}/libMLIR.so _stamp UTC)
  tf_add_pch(TFPch "${LLVM_PACKAGE_VERSION} ${_stamp}" LINK TFMLIR HEADERS
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
endif()

# tf_attach_mlir(NAME SOURCE...): compiles the sources of NAME with the header,
# once it and the files that TableGen generates exist.
function(tf_attach_mlir name)
  add_dependencies(${name} transfusion-headers)
  if(TRANSFUSION_PCH)
    tf_use_pch(TFPch ${name} ${ARGN})
  endif()
endfunction()
