#include <cstring>
#include <string>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/weights/type.hpp"
#include "check.hpp"

using namespace axelram;
using weights::Type;

namespace {

constexpr Type kAll[] = {Type::f32,  Type::f16,  Type::bf16, Type::q8_0, Type::q4_0, Type::q4_1,
                         Type::q5_0, Type::q5_1, Type::q4_k, Type::q5_k, Type::q6_k};

}  // namespace

TEST_CASE("to_floats: blocks of each type equal those of the package gguf bit for bit") {
  const auto reference = files::Safetensors::read(
      std::string(AXELRAM_SOURCE) + "/tests/model/weights/reference/blocks.safetensors");
  for (const Type type : kAll) {
    const std::string name = weights::name_of(type);
    CASE(type, name);
    const auto data = reference.at(name + ".data").values<std::uint8_t>();
    const auto expected = reference.at(name + ".values").values<float>();
    REQUIRE(weights::bytes_of(type, expected.size()) == data.size());
    REQUIRE(expected.size() >= 512);
    for (const std::size_t shift : {0U, 1U, 3U}) {
      CASE(shift);
      std::vector<std::uint8_t> bytes(data.size() + shift);
      std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(shift));
      std::vector<float> values(expected.size() + 1, -1.0F);
      weights::to_floats(type, bytes.data() + shift, expected.size(), values.data());
      CHECK(test::same_bits(std::span(values).first(expected.size()), expected));
      CHECK(values.back() == -1.0F);
    }
  }
}

TEST_CASE("to_floats: no part of a block") {
  std::vector<float> values(256);
  const std::vector<std::uint8_t> data(256);
  CHECK_THROWS_AS(weights::to_floats(Type::q4_1, data.data(), 31, values.data()), std::logic_error);
  CHECK_THROWS_AS(weights::to_floats(Type::q6_k, data.data(), 32, values.data()), std::logic_error);
}

TEST_CASE("types by the numbers of a GGUF file") {
  for (const Type type : kAll) {
    CASE(type);
    bool found = false;
    for (std::uint32_t number = 0; number < 64; ++number)
      found = found || weights::type_of_gguf(number) == type;
    CHECK(found);
  }
  CHECK(weights::type_of_gguf(8) == Type::q8_0);
  CHECK(weights::type_of_gguf(30) == Type::bf16);
  CHECK(!weights::type_of_gguf(16));
  CHECK(weights::all_names() == "F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K or Q6_K");
  CHECK_THROWS_AS(weights::data_type_of(Type::q8_0), std::logic_error);
  CHECK(weights::data_type_of(Type::bf16) == files::DataType::bf16);
}
