#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "stimulus.hpp"
#include "stimulus_commands.hpp"

namespace axelram::sim {

void Stimulus::add_errors(const Code& code, std::size_t word, int weight,
                          std::vector<std::uint8_t>* mask) {
  const auto n = static_cast<std::uint64_t>(code.n);
  for (int placed = 0; placed < std::min(weight, code.n);) {
    const std::uint64_t bit = word * n + below(n);
    const auto one = static_cast<std::uint8_t>(1U << (bit % 8));
    if (((*mask)[bit / 8] & one) != 0) continue;
    (*mask)[bit / 8] = static_cast<std::uint8_t>((*mask)[bit / 8] | one);
    ++placed;
  }
}

std::vector<std::uint8_t> Stimulus::mask(const Code& code, int lightest, int heaviest,
                                         std::uint64_t sparsity) {
  const auto bits = static_cast<std::size_t>(config_.parameters.record_bits());
  const auto weights = static_cast<std::uint64_t>(heaviest - lightest + 1);
  std::vector<std::uint8_t> mask(code.codeword_bytes(bits));
  for (std::size_t word = 0; word < code.words(bits); ++word)
    if (below(sparsity) == 0)
      add_errors(code, word, lightest + static_cast<int>(below(weights)), &mask);
  return mask;
}

std::vector<Command> Stimulus::errors() {
  const Code code = make_code(config_.ecc.code);
  const int t = code.correctable;
  const bool quiet = config_.ecc.scrub_interval == 0;  // whose read is the next is then known
  std::vector<Command> commands;
  const auto add = [&](Command::Kind kind, Vector vector = {}) {
    commands.push_back({kind, std::move(vector)});
  };
  const auto inject = [&](Injection mode, std::vector<std::uint8_t> mask) {
    commands.push_back(injection(mode, std::move(mask)));
  };
  const auto keys = [&](std::size_t count, auto make_mask) {
    for (std::size_t i = 0; i < count; ++i) {
      add(Command::Kind::drain);
      inject(Injection::next_write, make_mask());
      add(Command::Kind::key, any());
    }
  };
  const auto queries = [&] {
    for (int i = 0; i < 2; ++i) add(Command::Kind::query, gaussian(1));
    add(Command::Kind::drain);
  };

  // With the registers as reset leaves them.
  keys(std::min<std::size_t>(3, static_cast<std::size_t>(config_.max_keys)),
       [&] { return mask(code, 1, t + 1, 2); });
  queries();
  for (int setting = 0; setting < 6; ++setting) {
    add(Command::Kind::drain);
    commands.push_back(protection(static_cast<ErasurePolicy>(setting % 3), setting >= 3));
    add(Command::Kind::errors_clear);
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{9}}) {
      const std::size_t count = std::min(most, static_cast<std::size_t>(config_.max_keys));
      add(Command::Kind::clear);
      keys(count, [&] { return mask(code, 0, t, 1); });
      queries();
      add(Command::Kind::clear);
      keys(count, [&] { return mask(code, t + 1, t + 1, 1 + below(12)); });
      queries();
      add(Command::Kind::clear);
      keys(count, [&] { return mask(code, 0, code.n, 1 + below(4)); });
      queries();
      if (!quiet) continue;
      for (const Injection injection : {Injection::next_read, Injection::every_read}) {
        inject(injection, mask(code, 0, t + 1, 2));
        queries();
      }
      inject(Injection::off, mask(code, 1, 1, 1));
      queries();
    }
  }
  // Counters forgotten while a query finds errors.
  const rtl::Layout layout(config_);
  const int first = layout.rotate_cycles + layout.build_cycles + layout.code_stages;
  add(Command::Kind::clear);
  for (int i = 0; i < std::min(9, config_.max_keys); ++i) add(Command::Kind::key, any());
  add(Command::Kind::drain);
  inject(Injection::every_read, mask(code, 1, t, 2));
  for (int after = first; after < first + 9; ++after) {
    add(Command::Kind::query, gaussian(1));
    commands.push_back({Command::Kind::wait, {}, after});
    add(Command::Kind::errors_clear);
    add(Command::Kind::drain);
  }
  return commands;
}

}  // namespace axelram::sim
