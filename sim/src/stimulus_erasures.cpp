#include <algorithm>

#include "axelram/macro.hpp"
#include "stimulus.hpp"
#include "stimulus_commands.hpp"

namespace axelram::sim {
namespace {

using Kind = Command::Kind;

/// Norms as read of the neighbours of an erased one: sums beyond 65504, ties, subnormals, and signs
/// that do not count. The last pairs are random.
std::vector<std::pair<unsigned, unsigned>> norm_pairs(std::mt19937_64& random) {
  std::vector<std::pair<unsigned, unsigned>> pairs = {
      {0x7fff, 0xffff}, {0x7bff, 0x7c00}, {0xfbff, 0x7bff}, {0x7bff, 0x7bfe}, {0x7bfe, 0x7bfd},
      {0x0001, 0x8000}, {0x0001, 0x0002}, {0x03ff, 0x0400}, {0x7fff, 0x0000}, {0x3c00, 0x3c01}};
  for (int i = 0; i < 6; ++i) pairs.emplace_back(random() & 0xffffU, random() & 0xffffU);
  return pairs;
}

}  // namespace

std::vector<std::uint8_t> Stimulus::erasing(const Code& code) {
  const auto bits = static_cast<std::size_t>(config_.parameters.record_bits());
  const std::size_t norm = (bits - 16) / static_cast<std::size_t>(code.k);
  std::vector<std::uint8_t> mask(code.codeword_bytes(bits));
  for (std::size_t word = 0; word < norm; ++word)
    if (below(2) == 0) add_errors(code, word, code.correctable + 1, &mask);
  // One word is enough: norms of neighbours that both lack theirs would otherwise be the rule.
  if (below(2) == 0)
    add_errors(code, norm + below(code.words(bits) - norm), code.correctable + 1, &mask);
  return mask;
}

std::vector<std::uint8_t> Stimulus::renorming(const Code& code, const Vector& key, unsigned norm) {
  Macro macro(config_.parameters, config_.signs, config_.center, 1);
  const KeyResult result = macro.write(key.data());
  std::vector<std::uint8_t> change(result.record.size());
  const unsigned difference = norm ^ result.norm;
  change[change.size() - 2] = static_cast<std::uint8_t>(difference & 0xff);
  change[change.size() - 1] = static_cast<std::uint8_t>(difference >> 8);
  std::vector<std::uint8_t> mask(code.codeword_bytes(change.size() * 8));
  encode_bulk_ref(code, change.data(), change.size() * 8, mask.data());
  return mask;
}

std::vector<Command> Stimulus::erasures() {
  const Code code = make_code(config_.ecc.code);
  const auto bits = static_cast<std::size_t>(config_.parameters.record_bits());
  std::vector<Command> commands;
  const auto key = [&](const Vector& vector, std::vector<std::uint8_t> mask) {
    commands.push_back({Kind::drain});
    commands.push_back(injection(Injection::next_write, std::move(mask)));
    commands.push_back({Kind::key, vector});
  };
  const auto query = [&] {
    commands.push_back({Kind::query, gaussian(1)});
    commands.push_back({Kind::drain});
  };
  for (int setting = 0; setting < 6; ++setting) {
    commands.push_back({Kind::drain});
    commands.push_back(protection(static_cast<ErasurePolicy>(setting % 3), setting >= 3));
    for (int round = 0; round < 2; ++round) {
      commands.push_back({Kind::clear});
      for (int i = 0; i < std::min(12, config_.max_keys); ++i) key(gaussian(1), erasing(code));
      query();
    }
  }
  if (config_.max_keys < 3) return commands;
  const std::size_t norm_word = (bits - 1) / static_cast<std::size_t>(code.k);
  for (const auto& [left, right] : norm_pairs(random_)) {
    commands.push_back({Kind::clear});
    const Vector first = gaussian(1), last = gaussian(1);
    key(first, renorming(code, first, left));
    std::vector<std::uint8_t> erased(code.codeword_bytes(bits));
    add_errors(code, norm_word, code.correctable + 1, &erased);
    key(gaussian(1), std::move(erased));
    key(last, renorming(code, last, right));
    query();
  }
  return commands;
}

}  // namespace axelram::sim
