#pragma once

#include <string>
#include <vector>

#include "axelram/code.hpp"
#include "axelram/rtl/code_unit.hpp"
#include "unit_io.hpp"

namespace axelram {

inline CodewordBits to_bits(const Code& code, const Word& word) {
  const auto check = static_cast<std::uint64_t>(word.check);
  if (code.k == 64) return {word.data, check};
  return {word.data | check << code.k, code.n > 64 ? check >> (64 - code.k) : std::uint64_t{0}};
}
inline bool operator==(const CodewordBits& a, const CodewordBits& b) {
  return a.low == b.low && a.high == b.high;
}

/// A generated code unit, Verilated.
class UnitModel {
 public:
  explicit UnitModel(const std::vector<rtl::GeneratedFile>& files);
  ~UnitModel();
  UnitModel(const UnitModel&) = delete;
  UnitModel& operator=(const UnitModel&) = delete;

  std::vector<UnitOutput> run(const std::vector<UnitInput>& inputs) {
    std::vector<UnitOutput> outputs(inputs.size());
    run_(inputs.data(), outputs.data(), inputs.size());
    return outputs;
  }

 private:
  void* library_;
  UnitRun run_;
};

struct Counts {
  std::size_t words = 0, wrong_encoded = 0, wrong_decoded = 0;
};

/// Counts the words in which a unit without registers and golden differ.
class Comparison {
 public:
  Comparison(const Code& code, const std::vector<rtl::GeneratedFile>& files)
      : code_(code), model_(files) {}

  /// Encodes `data` and decodes `received` in the same cycle.
  void add(std::uint64_t data, const Word& received) {
    inputs_.push_back({false, true, true, data, to_bits(code_, received)});
    received_.push_back(received);
    if (inputs_.size() == kChunk) flush();
  }
  Counts counts() {
    flush();
    return counts_;
  }

 private:
  void flush();

  static constexpr std::size_t kChunk = 1 << 14;
  const Code& code_;
  UnitModel model_;
  std::vector<UnitInput> inputs_;
  std::vector<Word> received_;
  Counts counts_;
};

}  // namespace axelram
