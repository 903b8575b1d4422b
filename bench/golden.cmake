
# One program per instruction-set level: the fast units against baselines that the compiler was free
# to vectorise with the same instructions. The reference units are compiled anew for that, under
# another namespace.

if(NOT TARGET Eigen3::Eigen)
  message(STATUS "Eigen is not installed: no golden_bench")
  return()
endif()

set(levels portable)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND levels avx2 avx512)
endif()
set(reference_units keys/align/ref keys/center/ref keys/hadamard/ref numbers/half keys/norm/ref keys/quantizer/ref
  keys/record/ref scores/score/ref scores/score_table keys/trellis/ref)
list(TRANSFORM reference_units PREPEND ${PROJECT_SOURCE_DIR}/golden/)
list(TRANSFORM reference_units APPEND .cpp)

set(golden_benches "")
foreach(level IN LISTS levels)
  set(baselines golden_baselines_${level})
  add_library(${baselines} OBJECT golden_baselines.cpp ${reference_units})
  target_include_directories(${baselines} PRIVATE $<TARGET_PROPERTY:axelram_golden,INCLUDE_DIRECTORIES>)
  target_link_libraries(${baselines} PRIVATE Eigen3::Eigen)
  target_compile_definitions(${baselines} PRIVATE axelram=axelram_baseline NDEBUG)
  # Warnings off: they are the compiler's about Eigen and its own intrinsics header.
  target_compile_options(${baselines} PRIVATE -O3 ${AXELRAM_FLAGS_${level}} -w)

  add_executable(golden_bench_${level} golden_bench.cpp attention_bench.cpp feedback_bench.cpp
    parts_bench.cpp bench_report.cpp)
  list(APPEND golden_benches golden_bench_${level})
  target_link_libraries(golden_bench_${level} PRIVATE ${baselines} axelram::fast)
  list(JOIN AXELRAM_FLAGS_${level} " " flags)
  target_compile_definitions(golden_bench_${level} PRIVATE
    AXELRAM_BENCH_LEVEL=axelram::SimdLevel::${level} "AXELRAM_BENCH_FLAGS=\"-O3 ${flags}\"")
endforeach()
