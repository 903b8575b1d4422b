#include "queries.hpp"

#include <algorithm>
#include <numeric>

#include "axelram/kernels/queries.hpp"

namespace bench {

using namespace axelram::kernels;

namespace {

/// e_u of a query of N(0, 1) at the default widths: u_i * 2^e_u is of the size of sqrt(d).
constexpr std::int32_t kExponent = -2;

Buffer<std::int32_t> integers(Stream& stream, std::size_t count, std::int32_t first,
                              std::int32_t step) {
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + step * static_cast<std::int32_t>(i);
  return Buffer<std::int32_t>(stream, values);
}

std::vector<std::int8_t> random_u8(std::size_t count) {
  const std::vector<std::uint8_t> bytes = random_bytes(count, 6);
  std::vector<std::int8_t> u(count);
  std::transform(bytes.begin(), bytes.end(), u.begin(), [](std::uint8_t byte) {
    return static_cast<std::int8_t>(std::max(int{byte} - 128, -127));
  });
  return u;
}

}  // namespace

DecodeQueries::DecodeQueries(Stream& stream, const Shape& shape)
    : shape_(shape),
      sequence_(integers(stream, shape.batch, 0, 1)),
      visible_(integers(stream, shape.batch, static_cast<std::int32_t>(shape.context), 0)),
      exponents_(integers(stream, shape.batch * shape.heads * shape.group, kExponent, 0)),
      residual_exponents_(
          integers(stream, shape.batch * shape.heads * shape.group, kExponent + 4, 0)),
      fp16_(many_elements(stream, shape.batch * shape.heads * shape.group * shape.d, 10)),
      u8_(stream, random_u8(shape.batch * shape.heads * shape.group * shape.d)) {}

AttentionQueries DecodeQueries::queries() const {
  AttentionQueries queries;
  queries.count = shape_.batch;
  queries.sequence = sequence_.data();
  queries.visible = visible_.data();
  queries.fp16 = fp16_.data();
  queries.u8 = u8_.data();
  queries.exponents = exponents_.data();
  queries.v8 = u8_.data();
  queries.residual_exponents = residual_exponents_.data();
  return queries;
}

void DecodeQueries::round(Stream& stream, const MacroConstants& constants,
                          const KeyRotations& rotations) const {
  RoundedQueries out;
  out.u8 = u8_.data();
  out.exponents = exponents_.data();
  round_queries(
      stream, constants,
      ElementRows::dense(fp16_.data(), shape_.batch, shape_.heads * shape_.group, shape_.d),
      static_cast<std::int32_t>(shape_.group), rotations, out, nullptr);
}

TileQueries DecodeQueries::parts(bool prod) const {
  TileQueries queries{u8_.data(), exponents_.data()};
  if (prod) {
    queries.v8 = u8_.data();
    queries.residual_exponents = residual_exponents_.data();
  }
  return queries;
}

}  // namespace bench
