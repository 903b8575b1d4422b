#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "axelram/interpolate.hpp"

namespace axelram::faults {

/// Results of a macro with a faulty memory, T keys and Q queries. Rows are consecutive, key 0
/// first.
struct FaultOutcome {
  /// [T, status_bytes(words)] as decode_bulk_ref writes them; empty without a code.
  std::vector<std::uint8_t> statuses;
  std::vector<std::uint8_t> decoded;   ///< [T, record bytes], before repair of erasures
  std::vector<std::uint8_t> repaired;  ///< [T, record bytes], input of the scores
  std::vector<float> scores;           ///< [Q, T]
};

/// A macro whose memory holds the keys of a trace, with access to that memory. A campaign uses
/// engines only through this class.
class FaultEngine {
 public:
  virtual ~FaultEngine() = default;
  FaultEngine() = default;
  FaultEngine(const FaultEngine&) = delete;
  FaultEngine& operator=(const FaultEngine&) = delete;

  /// The memory without faults: [T, stored bytes], codewords or, without a code, records.
  virtual const std::vector<std::uint8_t>& stored() const = 0;

  /// Reads every key and scores every query with `masks` [T, stored bytes] XORed onto the memory
  /// without faults. Nothing is written back: each call starts from the memory without faults.
  virtual FaultOutcome read(const std::vector<std::uint8_t>& masks, ErasurePolicy policy) = 0;
};

/// Makes an engine that has written its keys under `code` ("none" or a name of make_code). Several
/// threads may call it at the same time; each engine is used by one thread.
using EngineFactory = std::function<std::unique_ptr<FaultEngine>(const std::string& code)>;

}  // namespace axelram::faults
