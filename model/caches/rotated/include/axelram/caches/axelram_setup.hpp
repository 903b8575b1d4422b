#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axelram/caches/shape.hpp"
#include "axelram/caches/specification.hpp"
#include "axelram/codebook.hpp"
#include "axelram/fast.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/feedback.hpp"
#include "axelram/files/position_centers.hpp"
#include "axelram/files/rotation.hpp"
#include "axelram/head_rotation.hpp"
#include "axelram/transformer/kv_cache.hpp"

namespace axelram::caches {

/// Contents of the files of a configuration and of an encoder, for every layer and head.
struct HeadConstants {
  std::optional<files::HeadRows<std::int8_t>> signs;
  std::optional<files::HeadRows<std::uint16_t>> center;
  std::optional<files::HeadRows<std::uint16_t>> channels;  ///< of a split
  std::optional<files::HeadRows<std::int8_t>> balance;     ///< exponents
  std::optional<files::QueryMoments> moments;
  std::optional<files::PositionCenters> centers;
};

/// Puts a file of exponents into a configuration that has none; "": leaves it as it is. Throws
/// files::InputError, `config_file` first, for a configuration with exponents of its own.
void put_balance(const std::string& config_file, const std::string& balance, files::Config* config);

/// Constants of an axelram cache on any device: the configuration, and signs, channels and center
/// of each layer and KV head.
class AxelramSetup {
 public:
  /// Throws files::InputError for files that are invalid, do not fit the model, or were made for
  /// other exponents.
  AxelramSetup(const Axelram& specification, const Shape& shape);
  /// No file is read: `constants` has all that the configuration needs, but signs of a seed.
  AxelramSetup(const files::Config& config, HeadConstants constants);

  /// Parameters of the key rows or of the value rows: values are neither centered nor
  /// balanced.
  Parameters parameters(bool values) const;
  const std::shared_ptr<const CodebookRom>& rom() const { return rom_; }
  /// Signs, channels of a split, exponents of keys.
  HeadRotation rotation(int layer, int head) const;
  std::vector<std::int8_t> signs(int layer, int head) const { return rotation(layer, head).signs; }
  /// d raw elements, or none. Keys only.
  std::vector<std::uint16_t> center(int layer, int head) const;
  /// True if keys have an encoder of their own.
  bool encodes() const { return constants_.moments.has_value(); }
  /// True if that encoder has whole second moments.
  bool full_feedback() const { return encodes() && !constants_.moments->moments.empty(); }
  /// Of the encoder of the keys of a layer and head, or null.
  std::shared_ptr<const Feedback> feedback(int layer, int head) const;
  /// Of blocks of positions, subtracted from the keys of all layers and heads; or null.
  const files::PositionCenters* centers() const {
    return constants_.centers ? &*constants_.centers : nullptr;
  }
  /// True if the macro attends; `attention` then has the parameters.
  bool attends() const { return config_.attention.given; }
  const AttentionParameters& attention() const { return config_.attention.parameters; }
  /// Throw files::InputError if the macro has no room for a sequence of so many tokens, or if the
  /// model's scale of <q, k> is another one than the configuration's.
  void check_tokens(std::size_t tokens) const;
  void check_scale(double scale) const;
  /// Complains of a configuration with attention: `what` ends at the scores.
  void reject_attention(const std::string& what) const { files::reject_attention(config_, what); }
  const std::string& code() const { return config_.ecc.code; }
  ErasurePolicy erasure() const { return files::protection(config_.ecc).erasure; }
  const Faults& faults() const { return specification_.faults; }

 private:
  Axelram specification_;
  files::Config config_;
  std::shared_ptr<const CodebookRom> rom_;
  HeadConstants constants_;
};

/// The cache of a setup, keys and values.
std::unique_ptr<transformer::KvCache> make_cache(AxelramSetup setup,
                                                 const UnitTable& units = fast_units());

}  // namespace axelram::caches
