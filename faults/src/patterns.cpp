#include "axelram/faults/patterns.hpp"

#include <algorithm>
#include <bit>

#include "axelram/faults/coset_leader_decoder.hpp"

namespace axelram::faults {
namespace {

/// Decodes the zero record with the given bits flipped, by the independent decoder.
RecordCounts outcome_of(const RecordCode& code, const CosetLeaderDecoder& decoder,
                        const std::vector<std::uint8_t>& mask) {
  std::vector<std::uint8_t> data(code.data_bytes()), statuses(code.status_bytes());
  const DecodeCounts counts =
      decoder.decode(mask.data(), code.words(), data.data(), statuses.data());
  RecordCounts result;
  count_words(code, counts, statuses.data(), data.data(), &result);
  count_elements(code, data.data(), &result);
  return result;
}

void add(CountDistribution* distribution, std::uint64_t count, double probability) {
  distribution->probability[std::min<std::uint64_t>(count, CountDistribution::kMaxCount)] +=
      probability;
}

void add(PatternTable* table, const RecordCode& code, const CosetLeaderDecoder& decoder,
         const std::vector<std::uint8_t>& mask, double probability) {
  RecordCounts counts = outcome_of(code, decoder, mask);
  counts.words[kClean] = code.words() - counts.words[kClean];
  for (std::size_t o = 0; o < kOutcomes; ++o) add(&table->words[o], counts.words[o], probability);
  add(&table->indices, counts.wrong_indices, probability);
  add(&table->norms, counts.wrong_norms, probability);
  for (const std::uint8_t byte : mask) table->injected += probability * std::popcount(byte);
}

}  // namespace

void count_words(const RecordCode& code, const DecodeCounts& counts, const std::uint8_t* statuses,
                 const std::uint8_t* wrong, RecordCounts* result) {
  auto& words = result->words;
  words[kClean] = counts.clean;
  words[kCorrected] = counts.corrected;
  words[kParityOnly] = counts.parity_only;
  words[kDetected] = counts.detected;
  const auto k = static_cast<std::size_t>(code.code().k);
  std::size_t next = 0;  // words before it are counted
  for (std::size_t byte = 0; byte < code.data_bytes(); ++byte) {
    for (unsigned bits = wrong[byte]; bits != 0; bits &= bits - 1) {
      const std::size_t word = (byte * 8 + static_cast<std::size_t>(std::countr_zero(bits))) / k;
      if (word < next) continue;
      next = word + 1;
      const auto status = static_cast<std::size_t>(status_at(statuses, word));
      if (status == kDetected) continue;
      --words[status];  // outcomes are in the order of statuses
      ++words[kMiscorrected];
    }
  }
  words[kFailed] = words[kDetected] + words[kMiscorrected];
}

void count_elements(const RecordCode& code, const std::uint8_t* wrong, RecordCounts* result) {
  for (const RecordField& field : code.fields()) {
    const auto bits = static_cast<std::size_t>(field.bits);
    std::uint64_t count = 0;
    std::size_t next = field.first;  // elements before it are counted
    for (std::size_t byte = field.first / 8; byte < field.end() / 8; ++byte) {
      for (unsigned set = wrong[byte]; set != 0; set &= set - 1) {
        const std::size_t bit = byte * 8 + static_cast<std::size_t>(std::countr_zero(set));
        if (bit < next) continue;
        next = field.first + ((bit - field.first) / bits + 1) * bits;
        ++count;
      }
    }
    (field.kind == RecordField::Kind::norm ? result->wrong_norms : result->wrong_indices) += count;
  }
}

double CountDistribution::mean() const {
  double sum = 0;
  for (std::size_t i = 1; i <= kMaxCount; ++i) sum += static_cast<double>(i) * probability[i];
  return sum;
}

double CountDistribution::mean_square() const {
  double sum = 0;
  for (std::size_t i = 1; i <= kMaxCount; ++i) sum += static_cast<double>(i * i) * probability[i];
  return sum;
}

PatternTable pattern_table(const RecordCode& code, const FaultModel& model,
                           const FaultSource& source, std::uint64_t trials) {
  PatternTable table;
  const CosetLeaderDecoder decoder(code.code());
  const bool single = model.kind == ModelKind::single_flip;
  const std::vector<Width> widths = single ? std::vector<Width>{{1, 1}} : model.widths;
  const std::vector<double> shares = single ? std::vector<double>{1} : source.exact_widths();
  const double rate = single ? 1 : source.exact_rate();
  const std::size_t positions =
      single ? std::min<std::uint64_t>(trials, source.bits()) : source.bits();
  std::vector<std::uint8_t> mask(code.stored_bytes());
  for (std::size_t i = 0; i < widths.size(); ++i)
    for (std::size_t first = 0; first < positions; ++first) {
      std::fill(mask.begin(), mask.end(), std::uint8_t{0});
      const std::size_t end = first + static_cast<std::size_t>(widths[i].bits);
      for (std::size_t bit = first; bit < std::min(source.bits(), end); ++bit)
        toggle_bit(mask.data(), source.logical(bit));
      add(&table, code, decoder, mask, rate * shares[i] / static_cast<double>(positions));
    }
  // Without an upset every count is 0.
  for (CountDistribution* distribution : {&table.words[kClean], &table.indices, &table.norms})
    distribution->probability[0] += 1 - rate;
  for (std::size_t o = kCorrected; o < kOutcomes; ++o) table.words[o].probability[0] += 1 - rate;
  return table;
}

}  // namespace axelram::faults
