#include "axelram/files/feedback.hpp"

#include <cmath>
#include <limits>

#include "axelram/files/balance.hpp"
#include "check.hpp"
#include "support.hpp"

using namespace axelram;
using namespace files;

namespace {

/// Two layers of three heads of four elements.
files::QueryMoments rank1() {
  files::QueryMoments all{2, 3, 4, {}, {}, {}};
  for (int row = 0; row < 6; ++row) {
    all.alphas.push_back(static_cast<float>(row));
    for (const float element : {0.5F, -0.5F, 0.5F, row % 2 == 0 ? 0.5F : -0.5F})
      all.directions.push_back(element);
  }
  return all;
}

files::QueryMoments full() {
  files::QueryMoments all{1, 2, 2, {}, {}, {2, 1, 1, 3, 4, -1, -1, 5}};
  return all;
}

void rejected(const std::string& path, int head_dim, const std::string& what) {
  CASE(what);
  try {
    files::read_query_moments(path, head_dim);
    FAIL("it was read");
  } catch (const files::InputError& error) {
    CHECK(std::string(error.what()) == path + ": tensor " + what);
  }
}

}  // namespace

TEST_CASE("second moments of queries: what is written is read") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "moments";
  files::write_query_moments(path, rank1(), {{"rank", "1"}}, false);
  const files::QueryMoments read = files::read_query_moments(path, 4);
  CHECK(read.layers == 2);
  CHECK(read.heads == 3);
  CHECK_SAME(read.directions, rank1().directions);
  CHECK_SAME(read.alphas, rank1().alphas);
  const QueryMoment moment = read.at(1, 0);
  CHECK(moment.alpha == 3);
  CHECK_SAME(moment.direction, std::vector<float>{0.5F, -0.5F, 0.5F, -0.5F});
  CHECK(moment.full.empty());
  std::string bytes = test::content(path);
  files::write_query_moments(path, read, files::Safetensors::read(path).metadata(), true);
  CHECK_SAME(test::content(path), bytes);

  files::write_query_moments(path, full(), {}, true);
  const files::QueryMoments whole = files::read_query_moments(path, 2);
  CHECK_SAME(whole.moments, full().moments);
  CHECK_SAME(whole.at(0, 1).full, std::vector<float>{4, -1, -1, 5});
  bytes = test::content(path);
  files::write_query_moments(path, whole, {}, true);
  CHECK_SAME(test::content(path), bytes);
  CHECK_THROWS_AS(files::write_query_moments(path, full(), {}, false), files::InputError);
}

TEST_CASE("second moments of queries: errors name the place") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "moments";
  const auto write = [&](const files::QueryMoments& all) {
    files::write_query_moments(path, all, {}, true);
  };
  write(rank1());
  rejected(path, 8, "directions: shape is [2, 3, 4]; it must be [layers, heads, 8]");
  files::QueryMoments wrong = rank1();
  wrong.alphas[4] = -1;
  write(wrong);
  rejected(path, 4, "alphas, layer 1, head 1: -1.000000; it must lie in 0..1000000");
  wrong.alphas[4] = std::numeric_limits<float>::quiet_NaN();
  write(wrong);
  rejected(path, 4, "alphas, layer 1, head 1: element 0 is NaN or infinity; it must be finite");
  wrong = rank1();
  wrong.directions[9] = std::numeric_limits<float>::infinity();
  write(wrong);
  rejected(path, 4, "directions, layer 0, head 2: element 1 is NaN or infinity; it must be finite");
  wrong.directions[9] = 1.5F;
  write(wrong);
  rejected(path, 4,
           "directions, layer 0, head 2: the norm is " + std::to_string(std::sqrt(3.0)) +
               "; it must be 1");
  wrong = full();
  wrong.moments[6] = 0;
  write(wrong);
  rejected(path, 2,
           "moments, layer 0, head 1: elements (1, 0) and (0, 1) differ; a second moment is "
           "symmetric");
  wrong = full();
  wrong.moments[3] = -3;
  write(wrong);
  rejected(path, 2,
           "moments, layer 0, head 0: diagonal element 1 is negative; it is a mean square");
  const std::vector<float> few(8, 0.5F), one(1);
  files::write_safetensors(path, {view("moments", DataType::f32, {1, 1, 2, 4}, few)}, {}, true);
  rejected(path, 4, "moments: shape is [1, 1, 2, 4]; it must be [layers, heads, 4, 4]");
  files::write_safetensors(path,
                           {view("directions", DataType::f32, {1, 2, 4}, few),
                            view("alphas", DataType::f32, {1, 1}, one)},
                           {}, true);
  rejected(path, 4, "alphas: shape is [1, 1]; directions has [1, 2] layers and heads");
  files::write_safetensors(path, {view("alphas", DataType::f32, {1, 1}, one)}, {}, true);
  CHECK_THROWS_AS(files::read_query_moments(path, 4), files::InputError);
}

TEST_CASE("encoders are named feedback:FILE") {
  CHECK(files::encoder_file("feedback:a/b") == "a/b");
  for (const char* const other : {"", "feedback:", "feedback", "nearest", "Feedback:a", "a/b"}) {
    CASE(other);
    CHECK_AT(other, !files::encoder_file(other));
  }
}

TEST_CASE("balance: what is written is read, and errors name the place") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "balance";
  files::Balance balance{1, 2, 2, {0.5F, 2, 1e-6F, 1e6F}};
  files::write_balance(path, balance, {}, false);
  const files::Balance read = files::read_balance(path);
  CHECK_SAME(read.lambdas, balance.lambdas);
  CHECK(*read.at(0, 1) == 1e-6F);
  const std::string bytes = test::content(path);
  files::write_balance(path, read, {}, true);
  CHECK_SAME(test::content(path), bytes);
  for (const float wrong : {0.0F, -1.0F, 2e6F, std::numeric_limits<float>::quiet_NaN()}) {
    CASE(wrong);
    balance.lambdas[2] = wrong;
    files::write_balance(path, balance, {}, true);
    try {
      files::read_balance(path);
      FAIL("it was read");
    } catch (const files::InputError& error) {
      CHECK(std::string(error.what()) == path + ": tensor lambdas, layer 0, head 1, pair 0: " +
                                             std::to_string(wrong) + "; it must lie in 1e-6..1e6");
    }
  }
}
