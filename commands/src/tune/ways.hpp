#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "axelram/caches/specification.hpp"
#include "axelram/calibration/exponents.hpp"
#include "axelram/calibration/feedback.hpp"
#include "axelram/parameters.hpp"

namespace axelram::commands::tunes {

enum class Centering { none, one, positions };

/// A way to store keys, or values, in records.
struct Way {
  std::string_view name, what;
  QuantizerKind kind = QuantizerKind::mse;
  ScaleKind scale = ScaleKind::norm;
  int newest = 0;  ///< exact tokens, beside the first one; 0: no exact token
  Centering centering = Centering::none;
  /// Whose queries the exponents are made from; none: no exponents.
  std::optional<calibration::BalanceQueries> balance = {};
  calibration::Rank feedback = calibration::Rank::none;
};

/// Ways of keys and of values, the simplest first; the paper's macro first of all.
std::span<const Way> key_ways();
std::span<const Way> value_ways();

/// What the configurations of one model share.
struct Macro {
  int head_dim = 0, max_keys = 0;
  std::uint64_t seed = 0;
};

/// Bytes of a record, norm included.
std::size_t record_bytes(int head_dim, int bits);

/// Names of the files of a way, in any folder; "" if it has none.
std::string center_name(const Way& way);
std::string centers_name(const Way& way);
std::string balance_name(const Way& way);
std::string feedback_name(const Way& way);
/// Those that it has.
std::vector<std::string> files_of(const Way& way);

/// A configuration, which names files beside it. comment: its first line.
std::string configuration(const Way& way, int bits, const Macro& macro, const std::string& comment);

/// The rows of a way, with `config` and the files of the encoder and of centers in `folder`, which
/// ends with '/' or is "".
caches::Axelram rows_of(const Way& way, const std::string& folder, const std::string& config);

}  // namespace axelram::commands::tunes
