#include "axelram/turboquant/head_quantizer.hpp"

#include <chrono>
#include <cmath>
#include <random>

#include "axelram/bit_string.hpp"
#include "axelram/signs.hpp"
#include "axelram/turboquant/codebooks.hpp"
#include "check.hpp"

using namespace axelram;
using namespace axelram::turboquant;

namespace {

using Floats = std::vector<float>;
using Bytes = std::vector<std::uint8_t>;

constexpr int kD = 64;

Floats random_rows(std::size_t count, std::size_t d, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 2);
  Floats rows(count * d);
  for (float& x : rows) x = normal(random);
  return rows;
}

/// Channels 1, 2, 5, 6, ...: neither a half nor every other one.
std::vector<std::uint16_t> some_channels(int d) {
  std::vector<std::uint16_t> channels;
  for (int i = 0; i < d; ++i)
    if (i % 4 == 1 || i % 4 == 2) channels.push_back(static_cast<std::uint16_t>(i));
  return channels;
}

Settings settings(Kind kind, double bits, RotationKind rotation = RotationKind::hadamard,
                  ProjectionKind projection = ProjectionKind::hadamard) {
  return {kind, bits, rotation, projection, Scale::norm};
}

Bytes records_of(const HeadQuantizer& quantizer, const Settings& s, const Floats& rows, int d) {
  const std::size_t count = rows.size() / static_cast<std::size_t>(d);
  Bytes records(count * record_bytes(s, d));
  quantizer.write(rows.data(), count, records.data());
  return records;
}

Floats read(const HeadQuantizer& quantizer, const Bytes& records, std::size_t count, int d) {
  Floats rows(count * static_cast<std::size_t>(d));
  quantizer.read(records.data(), count, rows.data());
  return rows;
}

/// Mean square of the difference over that of `rows`.
double relative_error(const Floats& rows, const Floats& other) {
  double error = 0, square = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    error += std::pow(static_cast<double>(rows[i]) - other[i], 2);
    square += static_cast<double>(rows[i]) * rows[i];
  }
  return error / square;
}

}  // namespace

TEST_CASE("records: bytes of every kind, sub-vectors by the seed's formula") {
  for (const auto& [bits, mse, prod] : {std::tuple{1.0, 18, 20},
                                        {2.0, 34, 36},
                                        {3.0, 50, 52},
                                        {4.0, 66, 68},
                                        {2.5, 44, 48},
                                        {3.5, 60, 64}}) {
    CASE(bits, mse, prod);
    CHECK(record_bytes(settings(Kind::mse, bits), 128) == static_cast<std::size_t>(mse));
    CHECK(record_bytes(settings(Kind::prod, bits), 128) == static_cast<std::size_t>(prod));
  }
  CHECK(outlier_channels(3.5, 4, 3, 128) == 64);
  CHECK(outlier_channels(2.5, 3, 2, 128) == 64);
  CHECK(outlier_channels(3.5, 4, 3, 64) == 32);
  // The seed's example of 32 and 96 channels has 2.25 bits, and 2.5 with two FP16 norms.
  CHECK((32 * 3 + 96 * 2) / 128.0 == 2.25);
  CHECK((32 * 3 + 96 * 2 + 2 * 16) / 128.0 == 2.5);
  CHECK(outlier_channels(2.25, 3, 2, 128) == 32);
  const std::vector<Part> parts = parts_of(settings(Kind::mse, 2.5), 128);
  REQUIRE(parts.size() == 2);
  CHECK((parts[0].channels == 64 && parts[0].bits == 3));
  CHECK((parts[1].channels == 64 && parts[1].bits == 2));
}

TEST_CASE("records: each row by itself, and near to the row by what theory says") {
  constexpr std::size_t kRows = 100;
  for (const int d : {64, 128})
    for (const RotationKind rotation : {RotationKind::hadamard, RotationKind::gaussian_qr})
      for (const Kind kind : {Kind::mse, Kind::prod})
        for (const double bits : {1.0, 2.0, 3.0, 4.0, 2.5, 3.5}) {
          CASE(rotation, d, bits, name_of(kind));
          const Settings s = settings(kind, bits, rotation);
          const bool split = bits != std::floor(bits);
          const HeadQuantizer quantizer(
              s, d, split ? some_channels(d) : std::vector<std::uint16_t>(), {1, 2, 3});
          const Floats rows = random_rows(kRows, static_cast<std::size_t>(d), 4);
          const Bytes records = records_of(quantizer, s, rows, d);
          const Floats all = read(quantizer, records, kRows, d);
          const std::size_t size = record_bytes(s, d);
          for (const std::size_t t : {0, 57, 99}) {
            CASE(t);
            const Floats one(&rows[t * static_cast<std::size_t>(d)],
                             &rows[t * static_cast<std::size_t>(d)] + d);
            CHECK_SAME(records_of(quantizer, s, one, d),
                       Bytes(&records[t * size], &records[t * size] + size));
          }
          double expected = 0;
          for (const Part& part : parts_of(s, d)) {
            const int index_bits = part.bits - (kind == Kind::prod ? 1 : 0);
            double own = index_bits == 0 ? 1
                                         : distortion(sphere_codebook(part.channels, index_bits),
                                                      CodebookKind::beta, part.channels);
            // The sign sum of a residual has the square pi / 2 of its own.
            if (kind == Kind::prod) own *= std::acos(-1) / 2 - 1;
            expected += own * part.channels / d;
          }
          CHECK(relative_error(rows, all) == doctest::Approx(expected).epsilon(0.06));
        }
}

TEST_CASE("streams: another seed, layer, head or sub-vector is another matrix") {
  for (const auto& [rotation, projection] :
       {std::pair{RotationKind::hadamard, ProjectionKind::hadamard},
        {RotationKind::gaussian_qr, ProjectionKind::gaussian},
        {RotationKind::gaussian_qr, ProjectionKind::orthogonal}}) {
    CASE(rotation, projection);
    const Settings s = settings(Kind::prod, 2, rotation, projection);
    const Floats rows = random_rows(20, kD, 5);
    const auto of = [&](const Site& site) {
      return records_of(HeadQuantizer(s, kD, {}, site), s, rows, kD);
    };
    const Bytes first = of({1, 0, 0});
    CHECK_SAME(of({1, 0, 0}), first);
    for (const Site& other : {Site{2, 0, 0}, Site{1, 1, 0}, Site{1, 0, 1}}) {
      CASE(other.seed, other.layer, other.head);
      CHECK_DIFFERENT(of(other), first);
    }
    // What one head wrote says nothing to another: its products with the rows are noise.
    const HeadQuantizer second(s, kD, {}, {1, 0, 1});
    CHECK(relative_error(rows, read(second, first, 20, kD)) > 1.5);
  }
}

TEST_CASE("streams: both sub-vectors of a head have their own") {
  const std::size_t half = kD / 2, rows = 20;
  std::vector<std::uint16_t> high;
  for (std::uint16_t i = 0; i < half; ++i) high.push_back(i);
  Floats doubled = random_rows(rows, kD, 6);  // with equal halves
  for (std::size_t i = 0; i < doubled.size(); ++i)
    if (i % kD >= half) doubled[i] = doubled[i - half];
  for (const RotationKind rotation : {RotationKind::hadamard, RotationKind::gaussian_qr}) {
    CASE(rotation);
    const Settings s = settings(Kind::mse, 2.5, rotation);
    const Bytes records = records_of(HeadQuantizer(s, kD, high, {1, 0, 0}), s, doubled, kD);
    // With one matrix for both, the highest bits of all indices would be equal.
    int same = 0;
    for (std::size_t t = 0; t < rows; ++t) {
      const std::uint8_t* const record = &records[t * record_bytes(s, kD)];
      for (std::size_t i = 0; i < half; ++i)
        same += read_bits(record, 3 * i + 2, 1) == read_bits(record, 3 * half + 16 + 2 * i + 1, 1)
                    ? 1
                    : 0;
    }
    CHECK(std::abs(same / 640.0 - 0.5) < 0.1);
  }
}

TEST_CASE("signs of the Hadamard rotation: those of the macro") {
  // A row of one element is the column of H diag(s) at this element.
  const Settings s = settings(Kind::mse, 1);
  Floats row(kD, 0.0F);
  row[9] = 1;
  const Bytes record = records_of(HeadQuantizer(s, kD, {}, {42, 3, 1}), s, row, kD);
  std::vector<std::int8_t> signs(kD);
  sign_vector(42, 3, 1, kD, signs.data());
  for (int i = 0; i < kD; ++i) {
    CASE(i);
    const int sign = __builtin_parity(static_cast<unsigned>(i) & 9U) != 0 ? -signs[9] : signs[9];
    CHECK((record[static_cast<std::size_t>(i / 8)] >> (i % 8) & 1) == (sign > 0 ? 1 : 0));
  }
}

TEST_CASE("norms: FP16, saturated") {
  const Settings s = settings(Kind::mse, 4);
  const HeadQuantizer quantizer(s, kD, {}, {});
  Floats row(kD, 0.0F);
  row[0] = 3;
  const auto norm = [&] {
    const Bytes record = records_of(quantizer, s, row, kD);
    return record[32] | record[33] << 8;
  };
  CHECK(norm() == 0x4200);
  row[0] = 1e6F;
  CHECK(norm() == 0x7BFF);
  row[0] = 0;
  CHECK(norm() == 0);
}

TEST_CASE("channels that do not fit the bits") {
  const Site site;
  CHECK_THROWS_AS(HeadQuantizer(settings(Kind::mse, 2.5), kD, {0, 1, 2}, site),
                  std::invalid_argument);
  CHECK_THROWS_AS(HeadQuantizer(settings(Kind::mse, 2.5), kD, {}, site), std::invalid_argument);
}

TEST_CASE("codebooks: 80 layers of 8 heads solve each once, in less than a second") {
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t before = codebooks_solved();
  constexpr int kDim = 176;  // of no other test case
  for (int layer = 0; layer < 80; ++layer)
    for (int head = 0; head < 8; ++head)
      for (const Part& part : parts_of(settings(Kind::mse, 3.5), kDim))
        for (const int bits : {part.bits, part.bits - 1}) sphere_codebook(part.channels, bits);
  CHECK(codebooks_solved() - before == 3);  // 4, 3 and 2 bits of 88 channels
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(took.count() < 1);
}
