# axelram_add_library(NAME [DEPENDS COMPONENT...] [PUBLIC LIBRARY...] [PRIVATE LIBRARY...]
#                     [PACKAGES "NAME [ARGUMENTS]"...] [STANDARD N] [INCLUDE DIR...] [SOURCES FILE...]
#                     [UNITY] [LIGHT])
# A component of the package: static library axelram_NAME, alias axelram::NAME, of src/*.cpp (or of
# SOURCES) with headers in include/ (or INCLUDE); installed and exported with what it depends on.
# DEPENDS are components, linked publicly. PACKAGES are what find_package(axelram) has to find for
# users of the component. UNITY compiles several sources as one: parsing the headers of JSON, YAML and
# the standard library takes longer than everything else. Names in unnamed namespaces must then differ
# within a component. LIGHT compiles with -O1: for reading, asking and writing, whose speed is not felt.
define_property(GLOBAL PROPERTY AXELRAM_COMPONENTS BRIEF_DOCS "in the order of their dependencies")

function(axelram_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNITY;LIGHT" "STANDARD" "DEPENDS;PUBLIC;PRIVATE;PACKAGES;INCLUDE;SOURCES")
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp)
  endif()
  if(NOT arg_INCLUDE AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/include)
    set(arg_INCLUDE ${CMAKE_CURRENT_SOURCE_DIR}/include)
  endif()
  if(NOT arg_STANDARD)
    set(arg_STANDARD 20)
  endif()
  add_library(axelram_${name} STATIC ${arg_SOURCES})
  add_library(axelram::${name} ALIAS axelram_${name})
  target_include_directories(axelram_${name} PUBLIC
    "$<BUILD_INTERFACE:${arg_INCLUDE}>" $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(axelram_${name} PUBLIC cxx_std_${arg_STANDARD})
  set_target_properties(axelram_${name} PROPERTIES UNITY_BUILD ${arg_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(arg_LIGHT)
    target_compile_options(axelram_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND axelram:: OUTPUT_VARIABLE depends)
  target_link_libraries(axelram_${name} PUBLIC ${depends} ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  axelram_add_component(${name} INCLUDE ${arg_INCLUDE} DEPENDS ${arg_DEPENDS} PACKAGES ${arg_PACKAGES})
endfunction()

# axelram_rooms(ROOM...): rooms of a component in the order of their dependencies: each may use those of the lines
# above it. Sets `sources` to ROOM/*.cpp and `includes` to ROOM/include of those that have one.
macro(axelram_rooms)
  set(sources "")
  set(includes "")
  foreach(room IN ITEMS ${ARGN})
    file(GLOB found CONFIGURE_DEPENDS ${room}/*.cpp)
    list(APPEND sources ${found})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/include)
      list(APPEND includes ${CMAKE_CURRENT_SOURCE_DIR}/${room}/include)
    endif()
  endforeach()
endmacro()

# The same for a library target axelram_NAME that is made otherwise.
function(axelram_add_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INCLUDE;DEPENDS;PACKAGES")
  set_target_properties(axelram_${name} PROPERTIES EXPORT_NAME ${name})
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/axelram)
  install(TARGETS axelram_${name} EXPORT axelram_${name}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT axelram_${name} NAMESPACE axelram:: FILE axelram-${name}.cmake DESTINATION ${package_dir})
  foreach(include IN LISTS arg_INCLUDE)
    if(EXISTS ${include}/axelram)
      install(DIRECTORY ${include}/axelram DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.hpp)
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY AXELRAM_COMPONENTS ${name})
  set_property(GLOBAL PROPERTY AXELRAM_DEPENDS_${name} "${arg_DEPENDS}")
  set_property(GLOBAL PROPERTY AXELRAM_PACKAGES_${name} "${arg_PACKAGES}")
endfunction()

# One object library per instruction-set level of axelram/simd.hpp, each compiled with
# AXELRAM_LEVEL=<level> and that level's instructions, added to TARGET.
# axelram_add_levels(TARGET NAME SOURCES FILE... [LEVELS LEVEL...] [INCLUDES DIR...]
#                    [DEFINITIONS D...] [OPTIONS O...])
# LEVELS are all levels unless given.
# `@level@` in a definition is the level's name.
function(axelram_add_levels target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LEVELS;INCLUDES;DEFINITIONS;OPTIONS;LIBRARIES")
  if(NOT arg_LEVELS)
    set(arg_LEVELS portable avx2 avx512)
  endif()
  foreach(level IN LISTS arg_LEVELS)
    set(flags "")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
      set(flags ${AXELRAM_FLAGS_${level}})
    endif()
    string(REPLACE "@level@" ${level} definitions "${arg_DEFINITIONS}")
    add_library(axelram_${name}_${level} OBJECT ${arg_SOURCES})
    target_compile_definitions(axelram_${name}_${level} PRIVATE AXELRAM_LEVEL=${level} ${definitions})
    # Aligned, so that the time of a hot loop does not depend on where the linker puts it.
    target_compile_options(axelram_${name}_${level} PRIVATE
      ${flags} ${arg_OPTIONS} "$<$<NOT:$<CONFIG:Debug>>:-O3;-falign-functions=64;-falign-loops=32>")
    target_include_directories(axelram_${name}_${level} PRIVATE ${arg_INCLUDES})
    foreach(library IN LISTS arg_LIBRARIES)
      target_include_directories(axelram_${name}_${level} SYSTEM PRIVATE
        $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
    endforeach()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:axelram_${name}_${level}>)
    set_property(GLOBAL APPEND PROPERTY AXELRAM_LEVEL_OBJECTS $<TARGET_OBJECTS:axelram_${name}_${level}>)
  endforeach()
endfunction()
