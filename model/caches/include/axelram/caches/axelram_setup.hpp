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

/// Constants of an axelram cache on any device: the configuration, and signs and center of each
/// layer and KV head.
class AxelramSetup {
 public:
  /// Throws files::InputError for files that are invalid or do not fit the model.
  AxelramSetup(const Axelram& specification, const Shape& shape);

  /// Parameters of the key rows or of the value rows: values are never centered.
  Parameters parameters(bool values) const;
  const std::shared_ptr<const CodebookRom>& rom() const { return rom_; }
  std::vector<std::int8_t> signs(int layer, int head) const;
  /// d raw elements, or none. Keys only.
  std::vector<std::uint16_t> center(int layer, int head) const;
  const std::string& code() const { return config_.ecc.code; }
  ErasurePolicy erasure() const { return files::protection(config_.ecc).erasure; }
  const Faults& faults() const { return specification_.faults; }

 private:
  Axelram specification_;
  files::Config config_;
  std::shared_ptr<const CodebookRom> rom_;
  std::optional<files::HeadRows<std::int8_t>> signs_;     ///< of a file
  std::optional<files::HeadRows<std::uint16_t>> center_;  ///< of a file
};

}  // namespace axelram::caches
