# The fast units. Each level's sources get its instruction set; the level is chosen at run time.
set(fast ${CMAKE_CURRENT_SOURCE_DIR}/src/fast)
file(GLOB portable_sources CONFIGURE_DEPENDS ${fast}/portable*.cpp)
target_sources(axelram_golden PRIVATE ${portable_sources}
  ${fast}/code_tables.cpp ${fast}/fast.cpp ${fast}/fast_codes.cpp ${fast}/fast_fault.cpp
  ${fast}/kernels.cpp ${fast}/round_query.cpp ${fast}/score_keys.cpp ${fast}/simd.cpp)

include(${CMAKE_CURRENT_SOURCE_DIR}/../cmake/simd_levels.cmake)
# The plain loops among them are left to the vectoriser.
set(optimise $<$<NOT:$<CONFIG:Debug>>:-O3>)

set_source_files_properties(${portable_sources} PROPERTIES COMPILE_OPTIONS "${optimise}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  file(GLOB avx2_sources CONFIGURE_DEPENDS ${fast}/avx2_*.cpp)
  file(GLOB avx512_sources CONFIGURE_DEPENDS ${fast}/avx512_*.cpp)
  target_sources(axelram_golden PRIVATE ${avx2_sources} ${avx512_sources})
  target_compile_definitions(axelram_golden PRIVATE AXELRAM_X86)
  # GCC 12 takes the "undefined" operands in its own intrinsics header for mistakes of the caller.
  set(avx512_warnings $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                      $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
  set_source_files_properties(${avx2_sources} PROPERTIES
    COMPILE_OPTIONS "${AXELRAM_FLAGS_avx2};${optimise}")
  set_source_files_properties(${avx512_sources} PROPERTIES
    COMPILE_OPTIONS "${AXELRAM_FLAGS_avx512};${avx512_warnings};${optimise}")
endif()
