#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/fast_memory.hpp"
#include "axelram/fast_similarity.hpp"
#include "axelram/half.hpp"
#include "bench_report.hpp"
#include "memory_baselines.hpp"

using namespace axelram;

namespace {

constexpr SimdLevel kLevel = AXELRAM_BENCH_LEVEL;
constexpr int kBank = 64;             // slots of each bank
constexpr std::size_t kTokens = 512;  // that are decided in turn

constexpr bench::Timing kTiming{1, 21, true};

/// Gaussian values: none resembles another, so that each token displaces one, which is merged.
struct Inputs {
  Inputs() {
    head.memory = memory_parameters({}, head.parameters);
    head.rom = std::make_shared<const CodebookRom>(codebook_rom(head.parameters));
    head.signs.assign(128, 1);
    MemoryRecords writer(head);
    std::mt19937 random(7);
    std::normal_distribution<float> gaussian;
    for (std::size_t t = 0; t < kTokens + 2 * kBank; ++t) {
      rows.emplace_back();
      for (int i = 0; i < 128; ++i) rows.back().push_back(double_to_half(double{gaussian(random)}));
      records.emplace_back(writer.record_bytes());
      writer.write(true, rows.back().data(), 0, records.back().data());
      slots.push_back(static_cast<int>(t));
      pointers.push_back(records.back().data());
    }
  }

  MemoryHead head;
  std::vector<std::vector<std::uint16_t>> rows;
  std::vector<std::vector<std::uint8_t>> records;
  std::vector<int> slots;
  std::vector<const std::uint8_t*> pointers;
};

/// Both similarity passes of a token: the oldest against both banks, and the one that it displaces
/// against the summaries.
bool bench_passes(const Inputs& inputs) {
  const RecordWords words{inputs.head.rom->centroids.data(), 128, 3};
  SlotBank exact(words, 2 * kBank, kBank, kLevel), summary(words, 2 * kBank, kBank, kLevel);
  for (int i = 0; i < 2 * kBank; ++i)
    (i < kBank ? exact : summary)
        .put(i, inputs.pointers[static_cast<std::size_t>(i)],
             record_root_ref(words, inputs.pointers[static_cast<std::size_t>(i)]));
  constexpr std::size_t kBankSize = kBank;
  int sum = 0;
  std::size_t token = 0;
  const auto next = [&] { return inputs.pointers[2 * kBankSize + token++ % kTokens]; };
  const auto reference = [&](const std::uint8_t* record, std::size_t first) {
    return baselines::nearest(words.centroids, record, &inputs.slots[first],
                              &inputs.pointers[first], kBankSize);
  };
  const bool holds = bench::compare(
      {"both passes of a token, 64 + 64 slots: *_ref", "L1", 1,
       kLevel == SimdLevel::portable ? 0.0 : 10.0, bench::Ratio::speedup, kTiming},
      [&] {
        const std::uint8_t* const e = next();
        sum += reference(e, 0) + reference(e, kBankSize) + reference(next(), kBankSize);
      },
      [&] {
        RecordQuery query;
        prepare_record(words, next(), &query);
        sum += exact.nearest(query).slot + summary.nearest(query).slot;
        prepare_record(words, next(), &query);
        sum += summary.nearest(query).slot;
      });
  if (sum == 1) std::printf("\n");  // what was found is used
  return holds;
}

/// Whole tokens, their records and masters among them.
void bench_tokens(const Inputs& inputs) {
  MemoryRecords records(inputs.head);
  MemoryState state = empty_memory(records);
  BoundedMemory memory(inputs.head, true, kLevel);
  std::size_t token = 0;
  MemoryEvent event;
  const auto next = [&]() -> MemoryToken {
    const std::uint16_t* const row = inputs.rows[token++ % inputs.rows.size()].data();
    return {row, row, 2.0F};
  };
  for (int t = 0; t < 1000; ++t) {
    memory_ref(&records, &state, next(), &event);
    memory.write(next(), &event);
  }
  bench::compare(
      {"a token that displaces one, which is merged: *_ref", "L2", 1, 0, bench::Ratio::speedup,
       kTiming},
      [&] { memory_ref(&records, &state, next(), &event); }, [&] { memory.write(next(), &event); });
}

}  // namespace

int main() {
  bench::print_header(std::string("level: ") + simd_level_name(kLevel) +
                          ", baselines compiled with " AXELRAM_BENCH_FLAGS,
                      bench::Ratio::speedup, kTiming);
  if (kLevel > best_simd_level()) {
    std::printf("this CPU cannot run the level: nothing measured\n");
    return 0;
  }
  const Inputs inputs;
  const bool holds = bench_passes(inputs);
  bench_tokens(inputs);
  return holds ? 0 : 1;
}
