#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/datapath.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/rotation.hpp"
#include "row_memory.hpp"

namespace axelram::caches {

/// What the stores of one axelram specification share.
class AxelramFamily {
 public:
  /// Throws files::InputError.
  AxelramFamily(const Axelram& store, const Shape& shape, Engine engine);

  /// Values are written as keys are, but for the center.
  Datapath datapath(int layer, int head, bool value) const;
  RowMemory memory(int layer, int head, bool value) const;

  const Parameters& parameters() const { return config_.parameters; }
  const CodebookRom& rom() const { return *rom_; }
  std::vector<std::int8_t> signs(int layer, int head) const;

 private:
  Axelram store_;
  Engine engine_;
  files::Config config_;
  std::shared_ptr<const CodebookRom> rom_;
  std::shared_ptr<const RowCode> code_;
  std::optional<files::HeadRows<std::int8_t>> signs_;     ///< of a file
  std::optional<files::HeadRows<std::uint16_t>> center_;  ///< of a file
};

}  // namespace axelram::caches
