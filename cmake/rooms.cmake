# What is built where libraries are missing. With tests everything is built, and a library that is
# not there is an error. Without them (a machine with a GPU and little else) golden's units and the
# kernels need no library; the rest needs header-only ones, which scripts/carry_headers collects;
# yaml-cpp and ICU are done without: configurations come as JSON, texts as tokens or bytes.
set(AXELRAM_REQUIRED "")
if(AXELRAM_TESTS OR AXELRAM_BENCH)
  set(AXELRAM_REQUIRED REQUIRED)
elseif(EXISTS ${PROJECT_SOURCE_DIR}/carried)
  list(APPEND CMAKE_PREFIX_PATH ${PROJECT_SOURCE_DIR}/carried)
endif()

set(AXELRAM_ALL_ROOMS ON)
foreach(library IN ITEMS nlohmann_json CLI11 Eigen3)
  find_package(${library} QUIET ${AXELRAM_REQUIRED})
  if(NOT ${library}_FOUND)
    message(STATUS "No ${library}: golden's units and the kernels only")
    set(AXELRAM_ALL_ROOMS OFF)
  endif()
endforeach()
find_package(yaml-cpp QUIET ${AXELRAM_REQUIRED})
find_package(ICU QUIET ${AXELRAM_REQUIRED} COMPONENTS uc i18n)
if(AXELRAM_ALL_ROOMS AND NOT yaml-cpp_FOUND)
  message(STATUS "No yaml-cpp: configurations are read as JSON only")
endif()
if(AXELRAM_ALL_ROOMS AND NOT ICU_FOUND)
  message(STATUS "No ICU: no tokenizer.json")
endif()
