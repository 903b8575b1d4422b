# One program per instruction-set level: units of the tiered cache against Eigen and against the
# *_ref, which are compiled anew with the same instructions, under another namespace.

if(NOT TARGET Eigen3::Eigen)
  message(STATUS "Eigen is not installed: no tier_bench")
  return()
endif()

set(tier_units tiers/group_scale numbers/half tiers/kivi/ref tiers/nuq/ref tiers/squat/ref tiers/tier_row)
list(TRANSFORM tier_units PREPEND ${PROJECT_SOURCE_DIR}/golden/)
list(TRANSFORM tier_units APPEND .cpp)
set(tier_benches "")
foreach(level IN LISTS levels)
  add_library(tier_baselines_${level} OBJECT tier_baselines.cpp ${tier_units})
  target_include_directories(tier_baselines_${level} PRIVATE $<TARGET_PROPERTY:axelram_golden,INCLUDE_DIRECTORIES>)
  target_link_libraries(tier_baselines_${level} PRIVATE Eigen3::Eigen)
  target_compile_definitions(tier_baselines_${level} PRIVATE axelram=axelram_baseline NDEBUG)
  # Warnings off: they are the compiler's about Eigen and its own intrinsics header.
  target_compile_options(tier_baselines_${level} PRIVATE -O3 ${AXELRAM_FLAGS_${level}} -w)

  add_executable(tier_bench_${level} tier_bench.cpp bench_report.cpp)
  list(APPEND tier_benches tier_bench_${level})
  target_link_libraries(tier_bench_${level} PRIVATE tier_baselines_${level} axelram::fast)
  list(JOIN AXELRAM_FLAGS_${level} " " flags)
  target_compile_definitions(tier_bench_${level} PRIVATE
    AXELRAM_BENCH_LEVEL=axelram::SimdLevel::${level} "AXELRAM_BENCH_FLAGS=\"-O3 ${flags}\"")
endforeach()
