#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axelram/caches/cache.hpp"
#include "axelram/codebook.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/rotation.hpp"

namespace axelram::caches {

/// What the stores of one axelram specification share, wherever they compute: the configuration and
/// the signs and centers of its files, of which every layer and KV head has its own.
class AxelramFamily {
 public:
  /// Throws files::InputError.
  AxelramFamily(const Axelram& store, const Shape& shape);

  const Parameters& parameters() const { return config_.parameters; }
  const std::shared_ptr<const CodebookRom>& rom() const { return rom_; }
  std::vector<std::int8_t> signs(int layer, int head) const;
  /// d raw elements, or none. Values are written as keys are, but for the center.
  std::vector<std::uint16_t> center(int layer, int head) const;
  const std::string& code() const { return config_.ecc.code; }
  ErasurePolicy erasure() const { return files::protection(config_.ecc).erasure; }
  const Faults& faults() const { return store_.faults; }

 private:
  Axelram store_;
  files::Config config_;
  std::shared_ptr<const CodebookRom> rom_;
  std::optional<files::HeadRows<std::int8_t>> signs_;     ///< of a file
  std::optional<files::HeadRows<std::uint16_t>> center_;  ///< of a file
};

}  // namespace axelram::caches
