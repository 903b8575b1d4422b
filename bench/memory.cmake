# One program per instruction-set level: a bounded memory against the *_ref, which are compiled anew with the
# same instructions, under another namespace.

set(memory_units keys/norm/ref keys/record/ref rows/similarity/ref)
list(TRANSFORM memory_units PREPEND ${PROJECT_SOURCE_DIR}/golden/)
list(TRANSFORM memory_units APPEND .cpp)
set(memory_benches "")
foreach(level IN LISTS levels)
  add_library(memory_baselines_${level} OBJECT memory_baselines.cpp ${memory_units})
  target_include_directories(memory_baselines_${level} PRIVATE $<TARGET_PROPERTY:axelram_golden,INCLUDE_DIRECTORIES>)
  target_compile_definitions(memory_baselines_${level} PRIVATE axelram=axelram_baseline NDEBUG)
  target_compile_options(memory_baselines_${level} PRIVATE -O3 ${AXELRAM_FLAGS_${level}})

  add_executable(memory_bench_${level} memory_bench.cpp bench_report.cpp)
  list(APPEND memory_benches memory_bench_${level})
  target_link_libraries(memory_bench_${level} PRIVATE memory_baselines_${level} axelram::fast)
  list(JOIN AXELRAM_FLAGS_${level} " " flags)
  target_compile_definitions(memory_bench_${level} PRIVATE
    AXELRAM_BENCH_LEVEL=axelram::SimdLevel::${level} "AXELRAM_BENCH_FLAGS=\"-O3 ${flags}\"")
endforeach()
