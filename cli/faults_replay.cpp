#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "axelram/bit_string.hpp"
#include "axelram/faults/text.hpp"
#include "axelram/record.hpp"
#include "faults_text.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

using faults::get_bit;

/// Bits of a word, bit 0 first, a space before the check bits.
std::string bits_text(const std::uint8_t* bytes, std::size_t first, const Code& code) {
  std::string text;
  for (int i = 0; i < code.n; ++i) {
    if (i == code.k) text += ' ';
    text += get_bit(bytes, first + static_cast<std::size_t>(i)) ? '1' : '0';
  }
  return text;
}

const char* status_name(WordStatus status) {
  constexpr const char* names[] = {"clean", "corrected", "parity only", "detected"};
  return names[static_cast<std::size_t>(status)];
}

/// The words of the case's key that were hit.
std::string words_text(const faults::Case& c, const faults::Replay& replay) {
  const faults::RecordCode& code = replay.workload.code();
  const auto n = static_cast<std::size_t>(code.code().n),
             k = static_cast<std::size_t>(code.code().k);
  const std::uint8_t* const stored = replay.workload.stored(c.token);
  const std::uint8_t* const mask = &c.masks[c.token * code.stored_bytes()];
  std::vector<std::uint8_t> received(stored, stored + code.stored_bytes());
  for (std::size_t i = 0; i < received.size(); ++i)
    received[i] = static_cast<std::uint8_t>(received[i] ^ mask[i]);
  std::vector<std::uint8_t> data(code.data_bytes()), statuses(code.status_bytes());
  code.decode(received.data(), data.data(), statuses.data());

  std::vector<std::vector<std::string>> rows = {
      {"word", "stored", "flipped bits", "status", "decoded", "right"}};
  for (std::size_t word = 0; word < code.words(); ++word) {
    std::string flipped;
    for (std::size_t i = 0; i < n; ++i)
      if (get_bit(mask, word * n + i)) flipped += (flipped.empty() ? "" : ",") + std::to_string(i);
    if (flipped.empty()) continue;
    std::string decoded;
    bool right = true;
    for (std::size_t i = word * k; i < (word + 1) * k; ++i) {
      decoded += get_bit(data.data(), i) ? '1' : '0';
      right = right && get_bit(data.data(), i) == get_bit(replay.workload.data(c.token), i);
    }
    rows.push_back({std::to_string(word), bits_text(stored, word * n, code.code()), flipped,
                    status_name(status_at(statuses.data(), word)), decoded, right ? "yes" : "NO"});
  }
  return table(rows);
}

std::string elements_text(const faults::Case& c, const faults::Replay& replay) {
  const faults::RecordCode& code = replay.workload.code();
  const std::uint8_t* const truth = replay.workload.data(c.token);
  const std::uint8_t* const decoded = &replay.decoded[c.token * code.record_bytes()];
  const std::uint8_t* const repaired = &replay.repaired[c.token * code.record_bytes()];
  std::vector<std::vector<std::string>> rows = {{"element", "true", "decoded", "repaired"}};
  const auto row = [&](const std::string& name, std::size_t first, int bits) {
    const std::uint64_t right = read_bits(truth, first, bits);
    if (read_bits(decoded, first, bits) == right && read_bits(repaired, first, bits) == right)
      return;
    rows.push_back({name, std::to_string(right), std::to_string(read_bits(decoded, first, bits)),
                    std::to_string(read_bits(repaired, first, bits))});
  };
  std::size_t indices = 0;  // of a split, those of both sub-vectors
  for (const RecordField& field : code.fields())
    for (std::size_t i = 0; i < static_cast<std::size_t>(field.count); ++i) {
      const std::size_t first = field.first + i * static_cast<std::size_t>(field.bits);
      switch (field.kind) {
        case RecordField::Kind::index:
          row("index " + std::to_string(indices++), first, field.bits);
          break;
        case RecordField::Kind::residual_sign:
          row("residual sign " + std::to_string(i), first, field.bits);
          break;
        case RecordField::Kind::norm:
          row(field.count == 1 ? "norm" : "norm " + std::to_string(i), first, field.bits);
          break;
      }
    }
  return rows.size() == 1 ? "every element is right\n" : table(rows);
}

std::string scores_text(const faults::Replay& replay) {
  const std::vector<float>& right = replay.workload.scores();
  std::size_t worst = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    if (std::fabs(replay.scores[i] - right[i]) > std::fabs(replay.scores[worst] - right[worst]))
      worst = i;
  std::ostringstream text;
  if (!replay.workload.scorable())
    return "score error: n/a, without faults there are no scores or all are 0\n";
  text << "score error, relative to the RMS score: " << replay.error.rms << " RMS, "
       << replay.error.max << " at most\n";
  if (replay.error.max > 0)
    text << "largest: query " << worst / replay.workload.tokens() << ", key "
         << worst % replay.workload.tokens() << ": " << replay.scores[worst] << ", without faults "
         << right[worst] << "\n";
  return text.str();
}

}  // namespace

std::string replay_text(const faults::Case& c, const faults::Replay& replay) {
  std::size_t flips = 0, keys = 0;
  const std::size_t row = replay.workload.code().stored_bytes();
  for (std::size_t t = 0; t < replay.workload.tokens(); ++t) {
    std::size_t own = 0;
    for (std::size_t bit = 0; bit < row * 8; ++bit) own += get_bit(&c.masks[t * row], bit);
    flips += own;
    keys += own != 0;
  }
  std::ostringstream text;
  text << "case          " << c.kind << ", configuration " << c.configuration << "\ncode          "
       << c.code << ", erasures: " << name_of(c.policy) << "\nfaults        "
       << name_of(c.model.kind) << " at " << faults::number_text(c.model.rate) << ", seed "
       << c.seed << ", trial " << c.trial << ": " << flips << " flips in " << keys << " of "
       << replay.workload.tokens() << " keys\n\nkey " << c.token << ", words that were hit\n"
       << words_text(c, replay) << "\nits elements that went wrong\n"
       << elements_text(c, replay) << "\n"
       << scores_text(replay)
       << "\nthe generator draws the same faults: " << verdict(replay.same_masks)
       << "\nstatuses, records and score error as dumped: " << verdict(replay.same_outcome) << "\n";
  return text.str();
}

}  // namespace axelram::cli
