#include "axelram/files/position_centers.hpp"

#include <cmath>
#include <limits>

#include "support.hpp"

using namespace axelram;
using namespace files;

namespace {

/// Two layers of three heads of four channels.
PositionCenters some_centers() {
  PositionCenters all{2, 3, 4, {}, {1, 0.25F, 0.5F, 0}, 8, true};
  for (int i = 0; i < 24; ++i) all.centers.push_back(static_cast<float>(i) / 4 - 3);
  return all;
}

void rejected_centers(const std::string& path, int head_dim, const std::string& what) {
  CASE(what);
  CHECK(test::message([&] { files::read_position_centers(path, head_dim); }) ==
        path + ": tensor " + what);
}

}  // namespace

TEST_CASE("centers of positions: what is written is read") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "centers";
  files::write_position_centers(path, some_centers(), {{"window", "512"}}, false);
  const PositionCenters read = files::read_position_centers(path, 4);
  CHECK(read.layers == 2);
  CHECK(read.heads == 3);
  CHECK(read.d == 4);
  CHECK_SAME(read.centers, some_centers().centers);
  CHECK_SAME(read.frequencies, some_centers().frequencies);
  CHECK(read.block == 8);
  CHECK(read.interleaved);
  const std::string bytes = test::content(path);
  files::write_position_centers(path, read, files::Safetensors::read(path).metadata(), true);
  CHECK_SAME(test::content(path), bytes);
  CHECK_THROWS_AS(files::write_position_centers(path, some_centers(), {}, false),
                  files::InputError);
}

TEST_CASE("centers of positions: errors name the tensor") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "centers";
  const auto write = [&](const PositionCenters& all) {
    files::write_position_centers(path, all, {}, true);
  };
  write(some_centers());
  rejected_centers(path, 64, "centers: shape is [2, 3, 4]; it must be [layers, heads, 64]");
  for (const float wrong : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    CASE(wrong);
    PositionCenters all = some_centers();
    all.centers[7] = wrong;
    write(all);
    rejected_centers(path, 4, "centers: element 7 is NaN or infinity; it is finite");
    all = some_centers();
    all.frequencies[3] = wrong;
    write(all);
    rejected_centers(path, 4, "frequencies: element 3 is NaN or infinity; it is finite");
  }
  PositionCenters all = some_centers();
  for (const int block : {0, -1, PositionCenters::kMostBlock + 1}) {
    CASE(block);
    all.block = block;
    write(all);
    rejected_centers(path, 4, "block: " + std::to_string(block) + "; it must lie in 1..1048576");
  }
  for (const int block : {1, PositionCenters::kMostBlock}) {
    CASE(block);
    all.block = block;
    write(all);
    CHECK(files::read_position_centers(path, 4).block == block);
  }

  const std::vector<float> centers(4), frequencies(2), more(4);
  const std::vector<std::int32_t> one = {1}, two = {1, 2};
  const files::Tensor row = view("centers", DataType::f32, {1, 1, 4}, centers),
                      known = view("frequencies", DataType::f32, {1, 2}, frequencies),
                      block = view("block", DataType::i32, {1}, one),
                      halves = view("interleaved", DataType::i32, {1}, one);
  const auto put = [&](const std::vector<files::Tensor>& tensors) {
    files::write_safetensors(path, tensors, {}, true);
  };
  put({row, view("frequencies", DataType::f32, {2, 2}, more), block, halves});
  rejected_centers(path, 4, "frequencies: shape is [2, 2]; it must be [1, 2]");
  put({row, known, view("block", DataType::i32, {2}, two), halves});
  rejected_centers(path, 4, "block: shape is [2]; it must be [1]");
  put({row, known, block, view("interleaved", DataType::i32, {2}, two)});
  rejected_centers(path, 4, "interleaved: shape is [2]; it must be [1]");
  const std::vector<std::int32_t> neither = {2};
  put({row, known, block, view("interleaved", DataType::i32, {1}, neither)});
  rejected_centers(path, 4, "interleaved: 2; it must lie in 0..1");
  put({row, known, block});
  CHECK(
      test::contains(test::message([&] { files::read_position_centers(path, 4); }), "interleaved"));
}
