# What `cmake --install build --prefix P` puts below P:
#   bin/                           the tools
#   lib/libTF*.a                   the layers, as targets TransFusion::<layer>
#   lib/TransFusionPlugin.so       for a stock mlir-opt
#   lib/cmake/TransFusion/         find_package(TransFusion)
#   lib/python3/dist-packages/     the Python package
#   include/transfusion/           headers and .td files, generated ones as well
#   share/transfusion/arch/        machines
# Plain lib, not lib/<triplet>: tools and plugin find machines by ../share.
include(CMakePackageConfigHelpers)

get_property(_layers GLOBAL PROPERTY TRANSFUSION_LAYERS)
install(TARGETS ${_layers} TFMLIR TFLLVM EXPORT TransFusionTargets
        ARCHIVE DESTINATION lib INCLUDES DESTINATION include)
install(TARGETS transfusion-opt transfusion-translate transfusion-lsp-server
        transfusion-sim
        RUNTIME DESTINATION bin)
install(TARGETS TransFusionPlugin LIBRARY DESTINATION lib)
foreach(_tree ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  install(DIRECTORY ${_tree}/include/transfusion DESTINATION include
          FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
          PATTERN CMakeFiles EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/transfusion
        DESTINATION lib/python3/dist-packages
        FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)

set(_package lib/cmake/TransFusion)
install(EXPORT TransFusionTargets NAMESPACE TransFusion::
        DESTINATION ${_package})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TransFusionConfig.cmake.in
  ${PROJECT_BINARY_DIR}/TransFusionConfig.cmake
  INSTALL_DESTINATION ${_package})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/TransFusionConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TransFusionConfig.cmake
              ${PROJECT_BINARY_DIR}/TransFusionConfigVersion.cmake
        DESTINATION ${_package})
