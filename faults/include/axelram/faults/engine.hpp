#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "axelram/interpolate.hpp"

namespace axelram::faults {

/// What a macro made of a faulty memory, T keys and Q queries. Rows lie one after the other, key 0
/// first.
struct FaultOutcome {
  std::vector<std::uint8_t> statuses;  ///< [T, status_bytes(words)], as decode_bulk_ref writes
                                       ///< them; empty without a code
  std::vector<std::uint8_t> decoded;   ///< [T, record bytes], before erasures are repaired
  std::vector<std::uint8_t> repaired;  ///< [T, record bytes], what the scores are made of
  std::vector<float> scores;           ///< [Q, T]
};

/// A macro whose memory holds the keys of a trace, with an access to that memory. The campaign
/// knows engines only through this class; golden implements it here, the simulated RTL in its own
/// room.
class FaultEngine {
 public:
  virtual ~FaultEngine() = default;
  FaultEngine() = default;
  FaultEngine(const FaultEngine&) = delete;
  FaultEngine& operator=(const FaultEngine&) = delete;

  /// The memory as written, without faults: [T, stored bytes], codewords or, without a code,
  /// records.
  virtual const std::vector<std::uint8_t>& stored() const = 0;

  /// XORs `masks` [T, stored bytes] onto the memory as written, reads every key and scores every
  /// query. Nothing is written back; the next call starts from the memory as written again.
  virtual FaultOutcome read(const std::vector<std::uint8_t>& masks, ErasurePolicy policy) = 0;
};

/// Makes an engine that has written its keys under `code` ("none", or a name make_code knows). May
/// be called from several threads at once; each engine is used by one thread.
using EngineFactory = std::function<std::unique_ptr<FaultEngine>(const std::string& code)>;

}  // namespace axelram::faults
