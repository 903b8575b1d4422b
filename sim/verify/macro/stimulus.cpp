#include "verify/macro/stimulus.hpp"

#include <algorithm>

#include "axelram/rtl/layout.hpp"

namespace axelram::sim {
std::vector<Command> Stimulus::directed() {
  std::vector<Command> commands;
  const std::vector<Vector>& good = corners();
  const std::vector<Vector> bad = rejected();
  commands.push_back(command::Query{good.back()});  // nothing stored yet
  std::size_t stored = 0;
  const auto key = [&](const Vector& vector) {
    // full_store() tests a full store.
    if (stored == static_cast<std::size_t>(config_.max_keys)) {
      commands.push_back(command::Clear{});
      stored = 0;
    }
    commands.push_back(command::Key{vector});
    ++stored;
  };
  for (const Vector& vector : good) key(vector);
  for (const Vector& vector : bad) commands.push_back(command::Key{vector});
  for (const Vector& vector : good) commands.push_back(command::Query{vector});
  for (const Vector& vector : bad) commands.push_back(command::Query{vector});
  commands.push_back(command::Drain{});
  commands.push_back(command::ClearErrors{});
  commands.push_back(command::Key{bad.front()});
  commands.push_back(command::ClearErrorsAtRejection{});
  commands.push_back(command::Drain{});
  commands.push_back(command::ClearErrors{});
  // A rejected vector between two valid ones changes neither.
  key(good.front());
  commands.push_back(command::Key{bad.front()});
  key(good.back());
  commands.push_back(command::Query{bad.back()});
  commands.push_back(command::Query{good.back()});
  commands.push_back(command::Drain{});
  return commands;
}

std::vector<Command> Stimulus::random(std::size_t vectors) {
  std::vector<Command> commands;
  std::size_t stored = 0;
  for (std::size_t i = 0; i < vectors; ++i) {
    const std::uint64_t dice = below(100);
    if (dice < 2) {
      const std::vector<Vector> bad = rejected();
      const bool key = below(2) == 0;
      const Vector& vector = bad[below(bad.size())];
      commands.push_back(key ? Command(command::Key{vector}) : command::Query{vector});
    } else if (dice < 4 || stored >= 100) {
      // Few keys keep the many queries short.
      commands.push_back(command::Clear{});
      stored = 0;
    } else if (dice < 5) {
      commands.push_back(command::Drain{});
      commands.push_back(command::ClearErrors{});
    } else if (dice < 80) {
      commands.push_back(command::Key{any()});
      ++stored;
    } else {
      commands.push_back(command::Query{any()});
    }
  }
  commands.push_back(command::Drain{});
  return commands;
}

std::vector<Command> Stimulus::resets() {
  const rtl::Layout layout(config_);
  std::vector<Command> commands;
  const auto traffic = [&] {
    for (int i = 0; i < 3; ++i) commands.push_back(command::Key{any()});
  };
  const auto recover = [&] {
    traffic();
    commands.push_back(command::Query{any()});
    commands.push_back(command::Drain{});
  };
  traffic();
  commands.push_back(command::Reset{0});  // before the keys are stored
  if (layout.code) {
    commands.push_back(command::Reset{0});
    commands.push_back(command::Reset{layout.reset_cycles / 2, any()});
    commands.push_back(command::Reset{layout.reset_cycles - 1});
  }
  recover();
  if (layout.rows > 1) {
    traffic();
    commands.push_back(command::Reset{layout.rows / 2, any()});  // in the middle of a vector
    recover();
  }
  // A query waits in state rotate until all earlier keys are stored.
  const int build_start = layout.rotate_cycles + 1 + layout.wait_cycles;
  const int read_start = build_start + layout.build_cycles;
  for (const int after :
       {2, build_start - 1, build_start + layout.build_cycles / 2, read_start - 1, read_start + 1,
        read_start + 2 * layout.read_rows, read_start + layout.read_latency}) {
    traffic();
    commands.push_back(command::Query{any()});
    commands.push_back(command::Reset{after});
    recover();
  }
  return commands;
}

std::vector<Command> Stimulus::full_store() {
  std::vector<Command> commands;
  for (int i = 0; i < config_.max_keys + 3; ++i) commands.push_back(command::Key{any()});
  commands.push_back(
      command::Key{rejected().front()});  // rejected as non-finite, not because the store is full
  const auto record_bytes = static_cast<std::size_t>(config_.parameters.record_bytes());
  commands.push_back(command::Record{std::vector<std::uint8_t>(record_bytes, 0xA5)});
  commands.push_back(command::Drain{});
  commands.push_back(command::Query{any()});
  commands.push_back(command::Query{any()});
  commands.push_back(command::Drain{});
  if (config_.ecc.code == "none") return commands;
  // An error for the next record stays armed until a record is stored.
  const Code code = make_code(config_.ecc.code);
  commands.push_back(command::Inject{Injection::next_write, mask(code, 1, code.correctable, 1)});
  commands.push_back(command::Key{any()});
  commands.push_back(command::Drain{});
  commands.push_back(command::Clear{});
  commands.push_back(command::Key{any()});
  commands.push_back(command::Query{any()});
  commands.push_back(command::Drain{});
  return commands;
}

std::vector<Command> Stimulus::records() {
  std::vector<Command> commands;
  const auto record = [&] {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(config_.parameters.record_bytes()));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(below(256));
    commands.push_back(command::Record{bytes});
  };
  const int tokens = std::min(2 * config_.parameters.copies() + 12, config_.max_keys + 2);
  for (int round = 0; round < 4; ++round) {
    for (int t = 0; t < tokens; ++t) {
      switch (below(7)) {
        case 0:
        case 1:
          record();
          break;
        case 2:
          commands.push_back(command::Key{filled(0)});
          break;
        case 3:
          commands.push_back(command::Key{rejected().front()});
          break;
        default:
          commands.push_back(command::Key{any()});
      }
      if (below(3) == 0) commands.push_back(command::Query{any()});
    }
    commands.push_back(command::Query{any()});
    commands.push_back(round % 2 == 0 ? Command(command::Clear{}) : command::Drain{});
  }
  commands.push_back(command::Clear{});
  for (int t = 0; t < std::min(4, config_.max_keys); ++t) record();  // back to back
  commands.push_back(command::Query{any()});
  commands.push_back(command::Drain{});
  for (int t = 0; t < std::min(64, config_.max_keys + 1); ++t) record();
  commands.push_back(command::Query{any()});
  commands.push_back(command::Drain{});
  return commands;
}

std::vector<Command> Stimulus::clears() {
  std::vector<Command> commands;
  for (int i = 0; i < 4; ++i) commands.push_back(command::Key{any()});
  commands.push_back(command::Clear{});
  commands.push_back(command::Query{any()});
  commands.push_back(command::Key{any()});
  commands.push_back(command::Query{any()});
  commands.push_back(command::Clear{});
  commands.push_back(command::Clear{});
  commands.push_back(command::Query{any()});
  for (int i = 0; i < 3; ++i) {
    commands.push_back(command::Key{any()});
    commands.push_back(command::ClearBeforeNext{});
    commands.push_back(command::Key{any()});
    if (i > 0)
      commands.push_back(command::Drain{});  // then only the vector itself delays the clear
    commands.push_back(command::KeyThenClear{any()});
    commands.push_back(command::Key{any()});
    commands.push_back(command::ClearBeforeNext{});
    commands.push_back(command::Query{any()});
  }
  commands.push_back(command::Drain{});
  return commands;
}

}  // namespace axelram::sim
