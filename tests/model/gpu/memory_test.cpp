#include "axelram/kernels/device.hpp"
#include "check.hpp"
#include "support.hpp"

using namespace axelram;

TEST_CASE("a model that does not fit is rejected before anything is uploaded") {
  auto checkpoint = test::random_checkpoint({}, 1);
  const std::size_t free = kernels::device_info().free_bytes;
  // Weights that do not exist: only their size is looked at.
  checkpoint.head.outputs = std::size_t{1} << 30;
  try {
    gpu::Model(checkpoint, {caches::parse_specification("fp16")}, {8, 1, 8});
    FAIL("no error");
  } catch (const files::EnvironmentError& error) {
    const std::string what = error.what();
    CASE(what);
    CHECK(what.find("the model needs ") == 0);
    CHECK(what.find(std::to_string(checkpoint.head.bytes()).substr(0, 3)) != std::string::npos);
    CHECK(what.find("; " + std::to_string(free) + " of ") != std::string::npos);
  }
  CHECK(kernels::device_info().free_bytes == free);
}

TEST_CASE("what is planned is what is taken, and given back") {
  const auto checkpoint = test::random_checkpoint({}, 1);
  const std::size_t free = kernels::device_info().free_bytes;
  {
    const gpu::Model model(checkpoint, {caches::parse_specification("fp16")}, {8, 1, 8});
    CHECK(model.device_bytes() >= free - kernels::device_info().free_bytes);
  }
  CHECK(kernels::device_info().free_bytes == free);
}

TEST_CASE("more query heads a KV head than fit, and larger heads") {
  const auto fp16 = caches::parse_specification("fp16");
  test::Look look{.heads = 34, .head_dim = 8};
  CHECK_THROWS_WITH_AS(gpu::Model(test::random_checkpoint(look, 1), {fp16}, {8, 1, 8}),
                       doctest::Contains("17 query heads"), files::InputError);
  look.heads = 2;
  look.head_dim = 264;
  CHECK_THROWS_WITH_AS(gpu::Model(test::random_checkpoint(look, 1), {fp16}, {8, 1, 8}),
                       doctest::Contains("of 264 values"), files::InputError);
}

TEST_CASE("a batch beyond what was planned for is rejected") {
  const auto checkpoint = test::random_checkpoint({}, 1);
  gpu::Model model(checkpoint, {caches::parse_specification("fp16")}, {8, 1, 8});
  const auto ids = test::some_ids(9, 50);
  const transformer::Sequence sequence{ids, 0};
  CHECK_THROWS_WITH_AS(model.forward({&sequence, 1}, 0),
                       doctest::Contains("a batch beyond its capacity of 8 tokens in 1"),
                       kernels::DeviceError);
}

TEST_CASE("the room for windows is that of the largest batch") {
  const auto windows = perplexity::sliding_windows(5000, 900, 600);
  const gpu::Capacity capacity = gpu::capacity_for(windows);
  CHECK(capacity.max_len == 900);
  CHECK(capacity.rows == 1800);
  CHECK(capacity.sequences == 2);
}
