# Bulk coding against memcpy of the codewords, on every level.
add_executable(codes_bench codes_bench.cpp bench_report.cpp)
target_link_libraries(codes_bench PRIVATE axelram::fast)
