# Optional parts of the product. Each is AUTO (built if its library is found), ON (an error if it is
# not) or OFF, with the same meaning whether tests are built or not.
#   AXELRAM_PROGRAM  files, RTL, simulation, models and the program: nlohmann_json, CLI11, Eigen3, Boost.
#                    OFF leaves the units of golden and the kernels, which need no library
#   AXELRAM_YAML     configurations in YAML, beside JSON: yaml-cpp
#   AXELRAM_ICU      tokenizer.json: ICU
#   AXELRAM_CUDA     kernels for a GPU: CUDA toolkit 12 or later (cuda.cmake)
#   AXELRAM_MPI      fault campaigns over the ranks of mpirun
list(APPEND CMAKE_PREFIX_PATH ${PROJECT_SOURCE_DIR}/carried)  # libraries of scripts/carry_headers

# axelram_feature(NAME DEFAULT DOC): declares AXELRAM_NAME.
function(axelram_feature name default doc)
  set(AXELRAM_${name} ${default} CACHE STRING "${doc}: AUTO, ON, OFF")
  set_property(CACHE AXELRAM_${name} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# axelram_resolve(NAME FOUND ADVICE): sets AXELRAM_WITH_NAME from the option and from what was found.
macro(axelram_resolve name found advice)
  set(AXELRAM_WITH_${name} OFF)
  if(NOT AXELRAM_${name} STREQUAL "OFF")
    if(${found})
      set(AXELRAM_WITH_${name} ON)
    elseif(AXELRAM_${name} STREQUAL "AUTO")
      message(STATUS "AXELRAM_${name}: left out; ${advice}")
    else()
      message(FATAL_ERROR "AXELRAM_${name}=${AXELRAM_${name}}: ${advice}, or set AXELRAM_${name}=OFF")
    endif()
  endif()
endmacro()

axelram_feature(PROGRAM ON "files, RTL, simulation, models and the program")
axelram_feature(YAML ON "configurations in YAML")
axelram_feature(ICU ON "tokenizer.json")
axelram_feature(MPI AUTO "fault campaigns over the ranks of mpirun")

find_package(nlohmann_json QUIET)
find_package(CLI11 QUIET)
find_package(Eigen3 QUIET NO_MODULE)
find_package(Boost QUIET)  # headers only: Boost.Math
find_package(Threads REQUIRED)
set(program_found OFF)
if(nlohmann_json_FOUND AND CLI11_FOUND AND Eigen3_FOUND AND Boost_FOUND)
  set(program_found ON)
endif()
axelram_resolve(PROGRAM program_found "it needs nlohmann_json, CLI11, Eigen3 and Boost (scripts/setup installs them)")

if(AXELRAM_WITH_PROGRAM)
  find_package(yaml-cpp QUIET)
  find_package(ICU QUIET COMPONENTS uc i18n)
  set(MPI_CXX_SKIP_MPICXX TRUE)  # the C interface serves
  find_package(MPI QUIET COMPONENTS CXX)
  axelram_resolve(YAML yaml-cpp_FOUND "it needs yaml-cpp (scripts/setup installs it)")
  axelram_resolve(ICU ICU_FOUND "it needs ICU (scripts/setup installs it)")
  axelram_resolve(MPI MPI_CXX_FOUND "it needs an MPI library (scripts/setup installs Open MPI)")
endif()
