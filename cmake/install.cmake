# `cmake --install` and the package axelram: find_package(axelram [COMPONENTS golden files ...]).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/axelram)

# One export set per room, so that a user of the golden model needs none of the others' libraries.
set(rooms golden files rtl sim faults tokens checkpoints transformer caches perplexity calibration stress)
foreach(room IN LISTS rooms)
  set_target_properties(axelram_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS axelram_${room} EXPORT axelram_${room}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT axelram_${room} NAMESPACE axelram:: FILE axelram-${room}.cmake DESTINATION ${package_dir})
endforeach()
set(model_rooms ${rooms})
list(REMOVE_ITEM model_rooms golden files rtl sim)
list(TRANSFORM model_rooms PREPEND model/)
foreach(headers IN ITEMS golden golden/files rtl/generator sim ${model_rooms})
  install(DIRECTORY ${headers}/include/axelram DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN *.hpp)
endforeach()

configure_package_config_file(cmake/axelramConfig.cmake.in
  ${PROJECT_BINARY_DIR}/axelramConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/axelramConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/axelramConfig.cmake ${PROJECT_BINARY_DIR}/axelramConfigVersion.cmake
  DESTINATION ${package_dir})

install(TARGETS axelram_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs traces models docs DESTINATION ${CMAKE_INSTALL_DATADIR}/axelram)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/axelram)
