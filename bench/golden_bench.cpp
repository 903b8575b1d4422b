#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "attention_bench.hpp"
#include "axelram/codebook.hpp"
#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "axelram/quantizer.hpp"
#include "axelram/record.hpp"
#include "axelram/score_table.hpp"
#include "axelram/signs.hpp"
#include "bench_report.hpp"
#include "feedback_bench.hpp"
#include "golden_baselines.hpp"
#include "parts_bench.hpp"

using namespace axelram;

namespace {

constexpr SimdLevel kLevel = AXELRAM_BENCH_LEVEL;
constexpr std::size_t kKeys = 65536;
constexpr int kCentroidBits = Parameters{}.centroid_bits;
constexpr std::size_t kKeysInCache = 1024;

/// The claims are made for AVX-512; other levels are reported.
double bar(double wanted) { return kLevel == SimdLevel::avx512 ? wanted : 0; }

std::string size_text(std::size_t bytes) {
  char text[32];
  const double kibibytes = static_cast<double>(bytes) / 1024;
  if (kibibytes < 1024) {
    std::snprintf(text, sizeof text, "%.0f KiB", kibibytes);
  } else {
    std::snprintf(text, sizeof text, "%.1f MiB", kibibytes / 1024);
  }
  return text;
}

struct KeySet {
  /// states: of a trellis; 0: none. Without one the table has a row for each index.
  KeySet(int d, int index_bits, std::size_t count, int states = 0) {
    std::mt19937 random(1);
    parameters.head_dim = d;
    parameters.index_bits = index_bits;
    if (states != 0) {
      parameters.kind = QuantizerKind::trellis;
      parameters.states = states;
    }
    rom = codebook_rom(parameters);
    const auto elements = count * static_cast<std::size_t>(d);
    std::normal_distribution<float> gaussian;
    std::uniform_int_distribution<int> index(0, (1 << index_bits) - 1);
    for (int i = 0; i < d; ++i) u.push_back(std::uniform_int_distribution<int>(-127, 127)(random));
    for (const std::int32_t value : u) query.push_back(static_cast<float>(value));
    for (std::size_t i = 0; i < elements; ++i)
      indices.push_back(static_cast<std::uint8_t>(index(random)));
    for (std::size_t i = 0; i < elements; ++i) floats.push_back(gaussian(random));
    const auto stride = static_cast<std::size_t>(parameters.record_bytes());
    records.resize(count * stride);
    for (std::size_t k = 0; k < count; ++k) {
      norms.push_back(std::abs(gaussian(random)));
      pack_record_ref(&indices[k * static_cast<std::size_t>(d)], double_to_half(norms[k]), d,
                      index_bits, &records[k * stride]);
    }
    table.resize(static_cast<std::size_t>(d * parameters.levels()));
    score_table_ref(u.data(), d, rom.centroids.data(), parameters.levels(), table.data());
  }

  ScoreQuery score_query() const {
    return {u.data(),
            -10,
            parameters.head_dim,
            parameters.index_bits,
            rom.centroids.data(),
            parameters.trellis() ? parameters.states : 0};
  }

  Parameters parameters;
  CodebookRom rom;
  std::vector<std::int32_t> u;
  std::vector<float> query;
  std::vector<std::uint8_t> indices;
  std::vector<float> floats;
  std::vector<float> norms;
  std::vector<std::uint8_t> records;
  std::vector<std::int32_t> table;
};

bool bench_scores(int d, int index_bits, std::size_t count, bool claimed) {
  const KeySet set(d, index_bits, count);
  std::vector<float> scores(count);
  const std::string shape = " d=" + std::to_string(d) + " b=" + std::to_string(index_bits);
  const std::string ours_bytes = size_text(set.records.size());
  const auto ours = [&] {
    score_keys(set.score_query(), set.records.data(), count, scores.data(), nullptr, kLevel);
  };
  const std::string float_set = size_text(set.floats.size() * sizeof(float)) + " / " + ours_bytes;
  const std::string byte_set = size_text(set.indices.size()) + " / " + ours_bytes;
  const auto items = static_cast<double>(count);
  bool holds = bench::compare(
      {"score: Eigen FP32, row-major," + shape, float_set, items, claimed ? bar(4) : 0},
      [&] { baselines::eigen_rows(set.floats.data(), set.query.data(), count, d, scores.data()); },
      ours);
  holds &= bench::compare(
      {"score: Eigen FP32, column-major," + shape, float_set, items, claimed ? bar(4) : 0},
      [&] {
        baselines::eigen_columns(set.floats.data(), set.query.data(), count, d, scores.data());
      },
      ours);
  holds &= bench::compare(
      {"score: scalar table lookup," + shape, byte_set, items, claimed ? bar(12) : 0},
      [&] {
        baselines::table_lookup(set.table.data(), set.indices.data(), set.norms.data(), count, d,
                                set.parameters.levels(), scores.data());
      },
      ours);
  return holds;
}

/// Records of a trellis against records of the same bits without one.
bool bench_trellis_scores(int d, int index_bits, std::size_t count) {
  const KeySet plain(d, index_bits, count);
  std::vector<float> scores(count);
  const auto score = [&](const KeySet& set) {
    score_keys(set.score_query(), set.records.data(), count, scores.data(), nullptr, kLevel);
  };
  bool holds = true;
  for (const int states : {4, 8, 16}) {
    const KeySet set(d, index_bits, count, states);
    holds &= bench::compare(
        {"score of " + std::to_string(states) + " states: no trellis, d=" + std::to_string(d) +
             " b=" + std::to_string(index_bits),
         size_text(set.records.size()), static_cast<double>(count), states == 8 ? bar(1 / 1.3) : 0},
        [&] { score(plain); }, [&] { score(set); });
  }
  return holds;
}

bool bench_hadamard(int d, bool claimed) {
  std::vector<std::int32_t> x(static_cast<std::size_t>(d));
  for (int i = 0; i < d; ++i) x[static_cast<std::size_t>(i)] = i * 7919 % 65536 - 32768;
  const std::vector<std::int32_t> start = x;
  constexpr int kBatch = 2;  // the input is copied back before it can overflow
  const auto run = [&](auto transform) {
    std::copy(start.begin(), start.end(), x.begin());
    for (int i = 0; i < kBatch; ++i) transform();
  };
  return bench::compare(
      {"FWHT: three loops, d=" + std::to_string(d), "L1", kBatch, claimed ? bar(5) : 0},
      [&] { run([&] { baselines::plain_hadamard(x.data(), d); }); },
      [&] { run([&] { hadamard(x.data(), d, kLevel); }); });
}

/// A write path: words of kCentroidBits, the norm, and states of a trellis or 0.
struct Kind {
  const CodebookRom& rom;
  bool unbiased;
  int states;
};

/// The write path of the fast units, as the macro runs it.
void fast_write(const baselines::WriteInput& input, const Kind& kind, const std::uint16_t* key,
                std::uint8_t* record) {
  std::int32_t y[256];
  std::int32_t scaled[32];  // thresholds or reconstructions
  std::uint8_t indices[256], levels[256];
  int e = 0;
  const int d = input.d;
  const auto count = static_cast<int>(kind.rom.centroids.size());
  const ElementFormat format = input.bf16 ? ElementFormat::bf16 : ElementFormat::fp16;
  if (input.center != nullptr)
    center(key, input.center, d, format, input.significand_bits, y, &e, nullptr, kLevel);
  else
    align(key, d, format, input.significand_bits, y, &e, nullptr, kLevel);
  const std::uint64_t squares = square_sum(y, d, kLevel);
  const std::uint32_t n = root(squares);
  rotate(input.signs, y, d, kLevel);
  if (kind.states != 0) {
    reconstructions_ref(kind.rom.reconstructions.data(), count, n, input.fraction_bits, scaled);
    encode_trellis(y, d, scaled, input.index_bits, n, kind.states, indices, kLevel);
    trellis_level(indices, d, kind.states, levels);
  } else {
    thresholds_ref(kind.rom.boundaries.data(), count - 1, n, input.fraction_bits, scaled);
    quantize(y, d, scaled, count - 1, indices, kLevel);
  }
  const std::uint8_t* const chosen = kind.states != 0 ? levels : indices;
  const Norm kept =
      !kind.unbiased
          ? norm(n, e)
          : unbiased_norm(squares,
                          correlation(y, chosen, d, kind.rom.centroids.data(), count, kLevel),
                          std::countr_zero(static_cast<unsigned>(d)) + kCentroidBits - 2 + e);
  pack_record(indices, kept.half, d, input.index_bits, record, kLevel);
}

bool bench_write(int d, int index_bits, ElementFormat format, bool centered) {
  constexpr std::size_t kBatch = 1024;
  Parameters p;
  p.head_dim = d;
  p.index_bits = index_bits;
  const CodebookRom rom = codebook_rom(p);
  std::mt19937 random(1);
  std::normal_distribution<double> gaussian;
  const auto size = static_cast<std::size_t>(d);
  std::vector<std::uint16_t> keys;
  std::vector<std::uint16_t> center_vector;
  for (std::size_t i = 0; i < kBatch * size; ++i)
    keys.push_back(double_to_element(gaussian(random), format));
  for (std::size_t i = 0; i < size; ++i)
    center_vector.push_back(double_to_element(gaussian(random), format));
  std::vector<std::int8_t> signs(size);
  sign_vector(42, 0, 0, d, signs.data());
  const baselines::WriteInput input{centered ? center_vector.data() : nullptr,
                                    signs.data(),
                                    rom.boundaries.data(),
                                    d,
                                    index_bits,
                                    p.significand_bits,
                                    p.boundary_fraction_bits,
                                    format == ElementFormat::bf16};
  const auto stride = static_cast<std::size_t>(p.record_bytes());
  std::vector<std::uint8_t> records(kBatch * stride);
  const auto run = [&](auto write) {
    for (std::size_t k = 0; k < kBatch; ++k) write(input, &keys[k * size], &records[k * stride]);
  };
  const std::string shape = std::string(format == ElementFormat::fp16 ? "fp16" : "bf16") +
                            (centered ? ", center," : ",") + " d=" + std::to_string(d) +
                            " b=" + std::to_string(index_bits);
  const std::string bytes = size_text(keys.size() * 2 + records.size());
  const auto fast_with = [&](const Kind& kind) {
    run([&](const auto& of, const std::uint16_t* key, std::uint8_t* record) {
      fast_write(of, kind, key, record);
    });
  };
  const Kind plain{rom, false, 0}, unbiased_norms{rom, true, 0};
  const bool fast = bench::compare(
      {"write: *_ref chain, " + shape, bytes, kBatch, bar(10)},
      [&] { run(baselines::reference_write); }, [&] { fast_with(plain); });
  const bool unbiased = bench::compare(
      {"unbiased write: plain norm, " + shape, bytes, kBatch, bar(1 / 1.3)},
      [&] { fast_with(plain); }, [&] { fast_with(unbiased_norms); });
  for (const int states : {4, 8, 16}) {
    p.kind = QuantizerKind::trellis;
    p.states = states;
    const CodebookRom levels = codebook_rom(p);
    bench::compare(
        {"trellis of " + std::to_string(states) + " states, unbiased write: plain, " + shape, bytes,
         kBatch, 0},
        [&] { fast_with(plain); },
        [&] {
          fast_with({levels, true, states});
        });
  }
  return fast && unbiased;
}

}  // namespace

int main() {
  bench::print_header(std::string("level: ") + simd_level_name(kLevel) +
                      ", baselines compiled with " AXELRAM_BENCH_FLAGS);
  if (kLevel > best_simd_level()) {
    std::printf("this CPU cannot run the level: nothing measured\n");
    return 0;
  }
  bool holds = bench_scores(128, 3, kKeys, true);
  for (const int d : {64, 128, 256})
    for (int index_bits = 2; index_bits <= 4; ++index_bits)
      if (d != 128 || index_bits != 3) bench_scores(d, index_bits, kKeys, false);
  bench_scores(128, 3, kKeysInCache, false);
  for (int index_bits = 2; index_bits <= 4; ++index_bits)
    holds &= bench_trellis_scores(128, index_bits, kKeys);
  holds &= bench_hadamard(128, true);
  for (const int d : {32, 64, 256}) bench_hadamard(d, false);
  for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16})
    for (const bool centered : {false, true}) holds &= bench_write(128, 3, format, centered);
  holds &= bench_parts(kKeys, kLevel, kLevel == SimdLevel::avx512);
  holds &= bench_attention(4096, kLevel, kLevel == SimdLevel::avx512);
  for (const int d : {64, 128}) holds &= bench_feedback(d, 3, kLevel == SimdLevel::avx512);
  return holds ? 0 : 1;
}
