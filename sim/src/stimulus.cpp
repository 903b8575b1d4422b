#include "stimulus.hpp"

#include <algorithm>

#include "axelram/rtl/layout.hpp"
#include "stimulus_commands.hpp"

namespace axelram::sim {
namespace {

using Kind = Command::Kind;

Command drain() { return {Kind::drain, {}, 0}; }

}  // namespace

std::vector<Command> Stimulus::directed() {
  std::vector<Command> commands;
  const std::vector<Vector>& good = corners();
  const std::vector<Vector> bad = rejected();
  commands.push_back({Kind::query, good.back(), 0});  // nothing stored yet
  std::size_t stored = 0;
  const auto key = [&](const Vector& vector) {
    // Leave the full store to its own list.
    if (stored == static_cast<std::size_t>(config_.max_keys)) {
      commands.push_back({Kind::clear, {}, 0});
      stored = 0;
    }
    commands.push_back({Kind::key, vector, 0});
    ++stored;
  };
  for (const Vector& vector : good) key(vector);
  for (const Vector& vector : bad) commands.push_back({Kind::key, vector, 0});
  for (const Vector& vector : good) commands.push_back({Kind::query, vector, 0});
  for (const Vector& vector : bad) commands.push_back({Kind::query, vector, 0});
  commands.push_back(drain());
  commands.push_back({Kind::errors_clear, {}, 0});
  commands.push_back({Kind::key, bad.front(), 0});
  commands.push_back({Kind::errors_clear_at_rejection, {}, 0});
  commands.push_back(drain());
  commands.push_back({Kind::errors_clear, {}, 0});
  // A rejected vector between two good ones disturbs neither.
  key(good.front());
  commands.push_back({Kind::key, bad.front(), 0});
  key(good.back());
  commands.push_back({Kind::query, bad.back(), 0});
  commands.push_back({Kind::query, good.back(), 0});
  commands.push_back(drain());
  return commands;
}

std::vector<Command> Stimulus::random(std::size_t vectors) {
  std::vector<Command> commands;
  std::size_t stored = 0;
  for (std::size_t i = 0; i < vectors; ++i) {
    const std::uint64_t dice = below(100);
    if (dice < 2) {
      const std::vector<Vector> bad = rejected();
      commands.push_back({below(2) == 0 ? Kind::key : Kind::query, bad[below(bad.size())], 0});
    } else if (dice < 4 || stored >= 100) {
      // Few keys keep the many queries short.
      commands.push_back({Kind::clear, {}, 0});
      stored = 0;
    } else if (dice < 5) {
      commands.push_back(drain());
      commands.push_back({Kind::errors_clear, {}, 0});
    } else if (dice < 80) {
      commands.push_back({Kind::key, any(), 0});
      ++stored;
    } else {
      commands.push_back({Kind::query, any(), 0});
    }
  }
  commands.push_back(drain());
  return commands;
}

std::vector<Command> Stimulus::resets() {
  const rtl::Layout layout(config_);
  std::vector<Command> commands;
  const auto traffic = [&] {
    for (int i = 0; i < 3; ++i) commands.push_back({Kind::key, any(), 0});
  };
  const auto recover = [&] {
    traffic();
    commands.push_back({Kind::query, any(), 0});
    commands.push_back(drain());
  };
  traffic();
  commands.push_back({Kind::reset, {}, 0});  // keys on their way to the store
  if (layout.code) {
    commands.push_back({Kind::reset, {}, 0});
    commands.push_back({Kind::reset, any(), layout.reset_cycles / 2});
    commands.push_back({Kind::reset, {}, layout.reset_cycles - 1});
  }
  recover();
  if (layout.rows > 1) {
    traffic();
    commands.push_back({Kind::reset, any(), layout.rows / 2});  // in the middle of a vector
    recover();
  }
  // A query waits in rotation for the keys before it to pass the encoder.
  const int build_start =
      layout.rotate_cycles + 1 + std::max(0, layout.encode_cycles + 1 - layout.rows);
  const int read_start = build_start + layout.build_cycles;
  for (const int after :
       {2, build_start - 1, build_start + layout.build_cycles / 2, read_start - 1, read_start + 1,
        read_start + 2 * layout.read_rows, read_start + layout.read_latency}) {
    traffic();
    commands.push_back({Kind::query, any(), 0});
    commands.push_back({Kind::reset, {}, after});
    recover();
  }
  return commands;
}

std::vector<Command> Stimulus::full_store() {
  std::vector<Command> commands;
  for (int i = 0; i < config_.max_keys + 3; ++i) commands.push_back({Kind::key, any(), 0});
  commands.push_back({Kind::key, rejected().front(), 0});  // rejected for itself, not for the store
  commands.push_back(drain());
  commands.push_back({Kind::query, any(), 0});
  commands.push_back({Kind::query, any(), 0});
  commands.push_back(drain());
  if (config_.ecc.code == "none") return commands;
  // An error meant for the next record waits until one is stored.
  const Code code = make_code(config_.ecc.code);
  commands.push_back(injection(Injection::next_write, mask(code, 1, code.correctable, 1)));
  commands.push_back({Kind::key, any(), 0});
  commands.push_back(drain());
  commands.push_back({Kind::clear, {}, 0});
  commands.push_back({Kind::key, any(), 0});
  commands.push_back({Kind::query, any(), 0});
  commands.push_back(drain());
  return commands;
}

std::vector<Command> Stimulus::clears() {
  std::vector<Command> commands;
  for (int i = 0; i < 4; ++i) commands.push_back({Kind::key, any(), 0});
  commands.push_back({Kind::clear, {}, 0});
  commands.push_back({Kind::query, any(), 0});
  commands.push_back({Kind::key, any(), 0});
  commands.push_back({Kind::query, any(), 0});
  commands.push_back({Kind::clear, {}, 0});
  commands.push_back({Kind::clear, {}, 0});
  commands.push_back({Kind::query, any(), 0});
  for (int i = 0; i < 3; ++i) {
    commands.push_back({Kind::key, any(), 0});
    commands.push_back({Kind::clear_and_go_on, {}, 0});
    commands.push_back({Kind::key, any(), 0});
    if (i > 0) commands.push_back(drain());  // then nothing but the vector itself holds it back
    commands.push_back({Kind::key_with_clear, any(), 0});
    commands.push_back({Kind::key, any(), 0});
    commands.push_back({Kind::clear_and_go_on, {}, 0});
    commands.push_back({Kind::query, any(), 0});
  }
  commands.push_back(drain());
  return commands;
}

}  // namespace axelram::sim
