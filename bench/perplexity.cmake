# A language model with a quantized KV cache against the same model with an FP16 cache.
add_executable(perplexity_bench perplexity_bench.cpp bench_report.cpp)
target_link_libraries(perplexity_bench PRIVATE axelram::caches axelram::perplexity)
target_compile_definitions(perplexity_bench PRIVATE "AXELRAM_SOURCE=\"${PROJECT_SOURCE_DIR}\"")

# Passes and evaluations of a larger model against the products that they consist of.
add_executable(model_bench model_bench.cpp random_model.cpp bench_report.cpp)
target_link_libraries(model_bench PRIVATE axelram::caches axelram::perplexity)
target_compile_definitions(model_bench PRIVATE "AXELRAM_SOURCE=\"${PROJECT_SOURCE_DIR}\"")

# The products behind it against Eigen's.
add_executable(product_bench product_bench.cpp bench_report.cpp)
target_link_libraries(product_bench PRIVATE axelram::transformer)
axelram_add_levels(product_bench eigen_product SOURCES eigen_product.cpp
  INCLUDES ${PROJECT_SOURCE_DIR}/model/transformer/include
  DEFINITIONS Eigen=Eigen_@level@ OPTIONS -Wno-maybe-uninitialized -Wno-uninitialized
  LIBRARIES Eigen3::Eigen)
