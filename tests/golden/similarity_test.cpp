#include "axelram/similarity.hpp"

#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/int128.hpp"
#include "axelram/parameters.hpp"
#include "axelram/record.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"

using namespace axelram;

namespace {

using Bytes = std::vector<std::uint8_t>;

CodebookRom rom_of(int d, int bits) {
  Parameters parameters{.head_dim = d, .index_bits = bits};
  return codebook_rom(parameters);
}

Bytes record_of(const std::vector<std::uint8_t>& indices, int bits, std::uint16_t norm = 0x3C00) {
  Bytes record(static_cast<std::size_t>(record_bytes(static_cast<int>(indices.size()), bits)));
  pack_record_ref(indices.data(), norm, static_cast<int>(indices.size()), bits, record.data());
  return record;
}

std::uint32_t threshold_of(int bits, double tau) {
  const Codebook codebook = solve_codebook(CodebookKind::gaussian, 128, bits);
  return similarity_threshold(tau, distortion(codebook, CodebookKind::gaussian, 128));
}

}  // namespace

TEST_CASE("similarity thresholds: numbers of the contract") {
  CHECK(threshold_of(2, 0.70) == 40486);
  CHECK(threshold_of(2, 0.90) == 52053);
  CHECK(threshold_of(3, 0.70) == 44290);
  CHECK(threshold_of(3, 0.90) == 56945);
  CHECK(threshold_of(4, 0.70) == 45439);
  CHECK(threshold_of(4, 0.90) == 58422);
  CHECK(threshold_of(3, 0) == 0);
  CHECK(threshold_of(3, 2) == 126544);
}

TEST_CASE("a cosine that lies exactly on a threshold reaches it") {
  // 64 words of 31: Q is a square, so that the cosine of the record with itself is exactly 1.
  const CodebookRom rom = rom_of(64, 3);
  const RecordWords words{rom.centroids.data(), 64, 3};
  const Bytes record = record_of(std::vector<std::uint8_t>(64, 5), 3);
  const std::int32_t acc = similarity_ref(words, record.data(), record.data());
  const std::uint32_t root = record_root_ref(words, record.data());
  CHECK(acc == 64 * 31 * 31);
  CHECK(root == 8 * 31 * 256);
  CHECK(reaches(acc, 65536, root, root));
  CHECK_FALSE(reaches(acc, 65537, root, root));
  CHECK_FALSE(reaches(acc - 1, 65536, root, root));
  CHECK(reaches(0, 0, root, root));
  CHECK_FALSE(reaches(-1, 0, root, root));
}

TEST_CASE("the similarity of a record whose norm is zero is 0, whatever its indices and sign") {
  const CodebookRom rom = rom_of(32, 3);
  const RecordWords words{rom.centroids.data(), 32, 3};
  const std::vector<std::uint8_t> indices(32, 7);
  const Bytes one = record_of(indices, 3), zero = record_of(indices, 3, 0),
              minus_zero = record_of(indices, 3, 0x8000), least = record_of(indices, 3, 1);
  const std::int32_t acc = 32 * 88 * 88;
  CHECK(similarity_ref(words, one.data(), one.data()) == acc);
  CHECK(similarity_ref(words, least.data(), one.data()) == acc);
  for (const Bytes* record : {&zero, &minus_zero}) {
    CASE(record);
    CHECK(similarity_ref(words, record->data(), one.data()) == 0);
    CHECK(similarity_ref(words, one.data(), record->data()) == 0);
    CHECK(record_root_ref(words, record->data()) == record_root_ref(words, one.data()));
  }
}

TEST_CASE("of equally near slots the lowest is nearest") {
  const CodebookRom rom = rom_of(32, 3);
  const RecordWords words{rom.centroids.data(), 32, 3};
  std::vector<std::uint8_t> indices(32, 7);
  const Bytes same = record_of(indices, 3);
  for (std::size_t i = 0; i < 32; i += 2) indices[i] = 0;
  const Bytes other = record_of(indices, 3);
  const int slots[] = {2, 5, 9, 11};
  const std::uint8_t* const records[] = {other.data(), same.data(), same.data(), other.data()};
  CHECK(nearest_ref(words, same.data(), slots, records, 4).slot == 5);
  CHECK(nearest_ref(words, other.data(), slots, records, 4).slot == 2);
  CHECK(nearest_ref(words, same.data(), slots, records, 0).slot == -1);
  // Cosines of 0 are equal for any roots.
  CHECK_FALSE(nearer(0, 5, 0, 7));
  CHECK_FALSE(nearer(0, 7, 0, 5));
  CHECK(nearer(-1, 7, -1, 5));
}

TEST_CASE("roots are nearest and numbers keep their widths") {
  fast_test::Random random(2401);
  for (const int d : {32, 64, 128, 256})
    for (const int bits : {2, 3, 4})
      for (int trial = 0; trial < 40; ++trial) {
        CASE(d, bits, trial);
        Parameters parameters{
            .head_dim = d, .index_bits = bits, .centroid_bits = fast_test::between(random, 6, 8)};
        const CodebookRom rom = codebook_rom(parameters);
        const RecordWords words{rom.centroids.data(), d, bits};
        std::vector<std::uint8_t> indices;
        for (int i = 0; i < d; ++i)
          indices.push_back(static_cast<std::uint8_t>(
              trial == 0 ? (1 << bits) - 1 : fast_test::between(random, 0, (1 << bits) - 1)));
        const Bytes record = record_of(indices, bits);
        const Int128 square = Int128{similarity_ref(words, record.data(), record.data())} << 16;
        const Int128 root = record_root_ref(words, record.data());
        CHECK((2 * root - 1) * (2 * root - 1) < 4 * square);
        CHECK((2 * root + 1) * (2 * root + 1) > 4 * square);
        CHECK(square < Int128{1} << 38);
        CHECK(root > 0);
        CHECK(root < 1 << 19);
      }
}
