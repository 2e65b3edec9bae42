# The installed package: find_package(AttnMLIR) gives AttnMLIR::<library>.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(libraries GLOBAL PROPERTY ATTN_MLIR_LIBRARIES)
install(TARGETS ${libraries} EXPORT AttnMLIRTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS attn-opt attn-compile attn-emulate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS AttnMLIRPlugin AttnHipEmulator LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS AttnMLIRCompilerC AttnMLIRLauncher EXPORT AttnMLIRTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/attn-mlir-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/attn-mlir ${PROJECT_BINARY_DIR}/include/attn-mlir
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
        PATTERN "CMakeFiles" EXCLUDE)
install(EXPORT AttnMLIRTargets NAMESPACE AttnMLIR::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/AttnMLIR)
configure_package_config_file(cmake/AttnMLIRConfig.cmake.in
  ${PROJECT_BINARY_DIR}/AttnMLIRConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/AttnMLIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/AttnMLIRConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/AttnMLIRConfig.cmake
              ${PROJECT_BINARY_DIR}/AttnMLIRConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/AttnMLIR)
