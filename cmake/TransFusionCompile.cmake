# Compiler flags common to all targets.

add_compile_options(-fno-exceptions -Wall -Wextra -Wno-unused-parameter)
# -fPIC everywhere and no -fPIE for executables: a precompiled header serves
# only targets that agree on this.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_compile_options(-fPIC)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-fcolor-diagnostics)
  if(NOT TRANSFUSION_CORE_ONLY)
    add_link_options(-fuse-ld=lld)
  endif()
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fdiagnostics-color)
endif()
if(TRANSFUSION_SANITIZE)
  add_compile_options(-fsanitize=${TRANSFUSION_SANITIZE}
                      -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TRANSFUSION_SANITIZE})
endif()

# Several checkouts of the project share hits: paths below the source tree are
# made relative, and the build directory is not part of the hash.
if(TRANSFUSION_CCACHE)
  find_program(TRANSFUSION_CCACHE_PROGRAM ccache)
  if(TRANSFUSION_CCACHE_PROGRAM)
    set(_launcher ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_NOHASHDIR=1
        CCACHE_PCH_EXTSUM=1
        ${TRANSFUSION_CCACHE_PROGRAM})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${_launcher})
    set(CMAKE_C_COMPILER_LAUNCHER ${_launcher})
  endif()
endif()
