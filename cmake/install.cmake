# `cmake --install` and the package axelram: find_package(axelram [COMPONENTS golden files ...]).
# Components have installed themselves (library.cmake); here are the package's own files.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/axelram)

get_property(AXELRAM_PACKAGE_COMPONENTS GLOBAL PROPERTY AXELRAM_COMPONENTS)
set(AXELRAM_PACKAGE_GRAPH "")
foreach(component IN LISTS AXELRAM_PACKAGE_COMPONENTS)
  get_property(depends GLOBAL PROPERTY AXELRAM_DEPENDS_${component})
  get_property(packages GLOBAL PROPERTY AXELRAM_PACKAGES_${component})
  string(APPEND AXELRAM_PACKAGE_GRAPH
    "set(axelram_depends_${component} \"${depends}\")\n"
    "set(axelram_packages_${component} \"${packages}\")\n")
endforeach()

configure_package_config_file(cmake/axelramConfig.cmake.in
  ${PROJECT_BINARY_DIR}/axelramConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/axelramConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/axelramConfig.cmake ${PROJECT_BINARY_DIR}/axelramConfigVersion.cmake
  DESTINATION ${package_dir})

if(TARGET axelram_program)
  install(TARGETS axelram_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY configs sweeps traces models docs DESTINATION ${CMAKE_INSTALL_DATADIR}/axelram)
install(FILES README.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/axelram)
install(PROGRAMS scripts/get_model scripts/plot DESTINATION ${CMAKE_INSTALL_DATADIR}/axelram/scripts)
install(FILES scripts/with_matplotlib.py scripts/tools.py scripts/places.py DESTINATION ${CMAKE_INSTALL_DATADIR}/axelram/scripts)
install(DIRECTORY scripts/datasheet DESTINATION ${CMAKE_INSTALL_DATADIR}/axelram/scripts
  FILES_MATCHING PATTERN *.py PATTERN *.css)
