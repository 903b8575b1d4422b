#include <algorithm>
#include <utility>

#include "axelram/macro.hpp"
#include "axelram/rtl/layout.hpp"
#include "verify/macro/stimulus.hpp"

// Stimuli of a macro with a code.

namespace axelram::sim {
namespace {

/// Norms of the two neighbours of an erased norm: sums beyond 65504, ties, subnormals, and ignored
/// signs. The last pairs are random.
std::vector<std::pair<unsigned, unsigned>> norm_pairs(std::mt19937_64& random) {
  std::vector<std::pair<unsigned, unsigned>> pairs = {
      {0x7fff, 0xffff}, {0x7bff, 0x7c00}, {0xfbff, 0x7bff}, {0x7bff, 0x7bfe}, {0x7bfe, 0x7bfd},
      {0x0001, 0x8000}, {0x0001, 0x0002}, {0x03ff, 0x0400}, {0x7fff, 0x0000}, {0x3c00, 0x3c01}};
  for (int i = 0; i < 6; ++i) pairs.emplace_back(random() & 0xffffU, random() & 0xffffU);
  return pairs;
}

}  // namespace

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
  const bool quiet = config_.ecc.scrub_interval == 0;  // no scrubs: the next read is a query
  std::vector<Command> commands;
  const auto inject = [&](Injection mode, std::vector<std::uint8_t> mask) {
    commands.push_back(command::Inject{mode, std::move(mask)});
  };
  const auto keys = [&](std::size_t count, auto make_mask) {
    for (std::size_t i = 0; i < count; ++i) {
      commands.push_back(command::Drain{});
      inject(Injection::next_write, make_mask());
      commands.push_back(command::Key{any()});
    }
  };
  const auto queries = [&] {
    for (int i = 0; i < 2; ++i) commands.push_back(command::Query{gaussian(1)});
    commands.push_back(command::Drain{});
  };

  // Registers as after reset.
  keys(std::min<std::size_t>(3, static_cast<std::size_t>(config_.max_keys)),
       [&] { return mask(code, 1, t + 1, 2); });
  queries();
  for (int setting = 0; setting < 6; ++setting) {
    commands.push_back(command::Drain{});
    commands.push_back(command::Protect{static_cast<ErasurePolicy>(setting % 3), setting >= 3});
    commands.push_back(command::ClearErrors{});
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{9}}) {
      const std::size_t count = std::min(most, static_cast<std::size_t>(config_.max_keys));
      commands.push_back(command::Clear{});
      keys(count, [&] { return mask(code, 0, t, 1); });
      queries();
      commands.push_back(command::Clear{});
      keys(count, [&] { return mask(code, t + 1, t + 1, 1 + below(12)); });
      queries();
      commands.push_back(command::Clear{});
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
  // Counters cleared while a query finds errors.
  const rtl::Layout layout(config_);
  const int keys_read = std::min(9, config_.max_keys);
  const bool awaits_copy = layout.exact_first > 0 || layout.exact_last >= keys_read;
  const int first = layout.rotate_cycles + layout.build_cycles + layout.code_stages +
                    (awaits_copy ? layout.copy_latency + layout.copy_cycles : 0);
  commands.push_back(command::Clear{});
  for (int i = 0; i < keys_read; ++i) commands.push_back(command::Key{any()});
  commands.push_back(command::Drain{});
  inject(Injection::every_read, mask(code, 1, t, 2));
  for (int after = first; after < first + 9; ++after) {
    commands.push_back(command::Query{gaussian(1)});
    commands.push_back(command::Wait{after});
    commands.push_back(command::ClearErrors{});
    commands.push_back(command::Drain{});
  }
  return commands;
}

std::vector<std::uint8_t> Stimulus::erasing(const Code& code) {
  const auto bits = static_cast<std::size_t>(config_.parameters.record_bits());
  const std::size_t norm = (bits - 16) / static_cast<std::size_t>(code.k);
  std::vector<std::uint8_t> mask(code.codeword_bytes(bits));
  for (std::size_t word = 0; word < norm; ++word)
    if (below(2) == 0) add_errors(code, word, code.correctable + 1, &mask);
  // One word erases the norm. With more, both neighbours would usually lack theirs too.
  if (below(2) == 0)
    add_errors(code, norm + below(code.words(bits) - norm), code.correctable + 1, &mask);
  return mask;
}

std::vector<std::uint8_t> Stimulus::renorming(const Code& code, const Vector& key, unsigned norm) {
  Macro macro(config_.parameters, config_.head_rotation, config_.center, 1);
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
    commands.push_back(command::Drain{});
    commands.push_back(command::Inject{Injection::next_write, std::move(mask)});
    commands.push_back(command::Key{vector});
  };
  const auto query = [&] {
    commands.push_back(command::Query{gaussian(1)});
    commands.push_back(command::Drain{});
  };
  for (int setting = 0; setting < 6; ++setting) {
    commands.push_back(command::Drain{});
    commands.push_back(command::Protect{static_cast<ErasurePolicy>(setting % 3), setting >= 3});
    for (int round = 0; round < 2; ++round) {
      commands.push_back(command::Clear{});
      for (int i = 0; i < std::min(12, config_.max_keys); ++i) key(gaussian(1), erasing(code));
      query();
    }
  }
  if (config_.max_keys < 3) return commands;
  const std::size_t norm_word = (bits - 1) / static_cast<std::size_t>(code.k);
  for (const auto& [left, right] : norm_pairs(random_)) {
    commands.push_back(command::Clear{});
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

// Every read corrects the injected errors, so the result of a query does not depend on the scrubs
// before it.
std::vector<Command> Stimulus::scrubs() {
  const Code code = make_code(config_.ecc.code);
  const int t = code.correctable;
  const int most = std::min(24, config_.max_keys);
  const auto rows = static_cast<std::uint64_t>(rtl::Layout(config_).rows);
  const int round = config_.ecc.scrub_interval + 64;
  std::vector<Command> commands;
  const auto keys = [&](int count) {
    for (int i = 0; i < count; ++i) {
      // If a key takes many cycles, it starts in a random cycle of a scrub.
      if (rows > 1) commands.push_back(command::Wait{static_cast<int>(below(rows))});
      commands.push_back(command::Key{any()});
    }
  };
  const auto queries = [&] {
    for (int i = 0; i < 3; ++i) {
      commands.push_back(command::AwaitScrub{round});
      commands.push_back(command::Query{gaussian(1)});
      commands.push_back(command::Drain{});
    }
  };

  for (const bool write_back : {false, true}) {
    commands.push_back(command::Drain{});
    commands.push_back(command::Protect{ErasurePolicy::keep, write_back});
    commands.push_back(command::ClearErrors{});
    // Keys back to back, while every scrub writes back.
    for (int i = 0; i < 3; ++i) {
      commands.push_back(command::Clear{});
      commands.push_back(command::Wait{config_.ecc.scrub_interval});
      commands.push_back(command::Inject{Injection::every_read, mask(code, 1, t, 1 + below(3))});
      keys(most);
      queries();
    }
    commands.push_back(command::Inject{Injection::next_read, mask(code, 1, t, 2)});
    queries();
    commands.push_back(command::Inject{Injection::off, mask(code, 1, 1, 1)});
    // Stored errors that scrubs correct.
    commands.push_back(command::Clear{});
    for (int i = 0; i < std::min(6, most); ++i) {
      commands.push_back(command::Drain{});
      commands.push_back(command::Inject{Injection::next_write, mask(code, 0, t, 1)});
      keys(1);
    }
    commands.push_back(command::Drain{});
    for (int i = 0; i < 9; ++i) {
      commands.push_back(command::AwaitScrub{round});
      commands.push_back(command::Wait{1 + i % 3});
      if (i == 4) commands.push_back(command::ClearErrors{});
    }
    queries();
  }
  for (int i = 0; i < 2; ++i) {
    commands.push_back(command::AwaitScrub{round});
    commands.push_back(command::Clear{});
    keys(3);
    queries();
    commands.push_back(command::AwaitScrub{round});
    commands.push_back(command::Reset{});
    keys(3);
    queries();
  }
  return commands;
}

}  // namespace axelram::sim
