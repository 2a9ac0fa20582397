# Finds Debian's LLVM/MLIR 22 and defines TFMLIR: the headers, definitions and
# libraries of MLIR, attached per target so that Core cannot include them.

find_program(TRANSFUSION_LLVM_CONFIG NAMES llvm-config-22)
if(TRANSFUSION_LLVM_CONFIG)
  execute_process(COMMAND ${TRANSFUSION_LLVM_CONFIG} --prefix
                  OUTPUT_VARIABLE _llvm_prefix OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
enable_language(C) # LLVMConfig's Find modules need it
find_package(MLIR 22.1 QUIET CONFIG HINTS ${_llvm_prefix}/lib/cmake/mlir)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR "MLIR 22 not found: run scripts/install-deps.sh "
                      "(Debian packages libmlir-22-dev mlir-22-tools llvm-22-dev)")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# The shared libraries MLIR and LLVM, and nothing else: an archive libMLIR*.a
# beside libMLIR.so would give a process two copies of MLIR.
add_library(TFMLIR INTERFACE)
target_include_directories(TFMLIR SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
target_include_directories(TFMLIR INTERFACE
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
set_target_properties(TFMLIR PROPERTIES EXPORT_NAME MLIR)
separate_arguments(_llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_options(TFMLIR INTERFACE ${_llvm_definitions})
target_link_libraries(TFMLIR INTERFACE MLIR LLVM)

# The same without MLIR, for what only needs LLVM's support library.
add_library(TFLLVM INTERFACE)
target_include_directories(TFLLVM SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_options(TFLLVM INTERFACE ${_llvm_definitions})
target_link_libraries(TFLLVM INTERFACE LLVM)

# Generated headers exist before any file that may include them is compiled.
add_custom_target(transfusion-headers)

set(CMAKE_BUILD_RPATH ${LLVM_LIBRARY_DIR})
set(CMAKE_INSTALL_RPATH ${LLVM_LIBRARY_DIR})
