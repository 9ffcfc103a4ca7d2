# cmake --install: headers, the archive, its CMake package and pkg-config file, the command, the papers.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What a user of the installed library needs beside it.
set(SAVEDMODEL_EXTERNAL
  absl::status absl::statusor absl::strings absl::cord absl::str_format absl::flat_hash_map
  protobuf::libprotobuf Snappy::snappy Threads::Threads)

# A public header is a .h directly in a room. internal/ folders, the proto room and tools have none.
foreach(room base object_graph checkpoint checkpoint/bundle signatures saved_model)
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${room}/*.h")
  install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/savedmodel/${room}")
endforeach()

install(FILES "${SAVEDMODEL_ARCHIVE}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET savedmodel_command)
  install(TARGETS savedmodel_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# Unisolated, some of ADT's functions name parts of LLVM that are not in the archive; nobody calls them.
if(SAVEDMODEL_ISOLATE)
  set(SAVEDMODEL_LINK_OPTIONS "")
else()
  set(SAVEDMODEL_LINK_OPTIONS "-Wl,--gc-sections")
endif()

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/savedmodel")
set(package_build_dir "${PROJECT_BINARY_DIR}/package")
configure_package_config_file(cmake/savedmodelConfig.cmake.in "${package_build_dir}/savedmodelConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
configure_package_config_file(cmake/savedmodelTargets.cmake.in "${package_build_dir}/savedmodelTargets.cmake"
  INSTALL_DESTINATION "${package_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${package_build_dir}/savedmodelConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${package_build_dir}/savedmodelConfig.cmake" "${package_build_dir}/savedmodelTargets.cmake"
  "${package_build_dir}/savedmodelConfigVersion.cmake" DESTINATION "${package_dir}")

# pkg-config names: absl::status is absl_status, protobuf::libprotobuf is protobuf.
set(SAVEDMODEL_PC_REQUIRES ${SAVEDMODEL_EXTERNAL})
list(REMOVE_ITEM SAVEDMODEL_PC_REQUIRES Threads::Threads)
list(TRANSFORM SAVEDMODEL_PC_REQUIRES REPLACE "^absl::" "absl_")
list(TRANSFORM SAVEDMODEL_PC_REQUIRES REPLACE "^.*::(lib)?" "")
list(JOIN SAVEDMODEL_PC_REQUIRES " " SAVEDMODEL_PC_REQUIRES)
file(RELATIVE_PATH SAVEDMODEL_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" SAVEDMODEL_PC_PREFIX "${SAVEDMODEL_PC_PREFIX}")
configure_file(cmake/savedmodel.pc.in "${package_build_dir}/savedmodel.pc" @ONLY)
install(FILES "${package_build_dir}/savedmodel.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(FILES README.md LICENSE NOTICE CHANGELOG.md SECURITY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md")
