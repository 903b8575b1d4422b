#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <utility>

#include "axelram/caches/cache_site.hpp"
#include "axelram/caches/centered_keys.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/rotation.hpp"
#include "axelram/turboquant/head_quantizer.hpp"
#include "rows/float_vectors.hpp"
#include "rows/model_rows.hpp"
#include "rows/partial_cache.hpp"
#include "rows/row_cache.hpp"
#include "specification/kind.hpp"

namespace axelram::caches {
namespace {

using turboquant::HeadQuantizer;

[[noreturn]] void fail(const std::string& what) {
  throw files::InputError("the cache " + std::string(TurboQuant::kName) + " has " + what);
}

/// Complains of keys that exclude each other.
void check_keys(const TurboQuant& row) {
  const turboquant::Settings &s = row.settings, fallback;
  const bool whole = s.bits == std::floor(s.bits);
  if (s.kind == turboquant::Kind::prod && s.scale != turboquant::Scale::norm)
    fail("kind=prod and scale=" + name_of(s.scale) + "; prod takes scale=norm");
  if (s.kind != turboquant::Kind::prod && s.projection != fallback.projection)
    fail("projection=" + name_of(s.projection) + ", but only a residual is projected; it takes " +
         "kind=prod too");
  if (!whole && row.split.empty())
    fail("bits=" + text_of(s.bits) +
         " and no split; it takes split=FILE, which 'axelram calibrate --channels' writes");
  if (whole && !row.split.empty())
    fail("a split and bits=" + text_of(s.bits) + "; a split takes bits=2.5 or bits=3.5");
}

/// Complains of a head that cannot be rotated.
void check_dimensions(const turboquant::Settings& s, const Shape& shape) {
  const bool hadamard =
      s.rotation == turboquant::RotationKind::hadamard ||
      (s.kind == turboquant::Kind::prod && s.projection == turboquant::ProjectionKind::hadamard);
  for (const turboquant::Part& part : turboquant::parts_of(s, shape.head_dim)) {
    if (part.channels < 16)
      fail("a sub-vector of " + std::to_string(part.channels) +
           " channels; a codebook takes at least 16: use another cache for this model");
    if (hadamard && !std::has_single_bit(static_cast<unsigned>(part.channels)))
      fail("a Hadamard matrix for " + std::to_string(part.channels) +
           " channels, which must be a power of two; use rotation=gaussian-qr, and " +
           "projection=gaussian or projection=orthogonal");
  }
}

/// Constants of all head caches of one specification. Matrices are made for the first rows of a
/// head: to ask for bytes needs none.
class TurboQuantSetup {
 public:
  TurboQuantSetup(const TurboQuant& specification, const Shape& shape)
      : specification_(specification),
        shape_(shape),
        quantizers_(static_cast<std::size_t>(shape.layers * shape.heads)),
        made_(quantizers_.size()) {
    check_keys(specification);
    check_dimensions(specification.settings, shape);
    if (!specification.split.empty()) {
      Parameters dimension;
      dimension.head_dim = shape.head_dim;
      channels_ = files::read_channels(specification.split, dimension);
      check_shape(specification.split, *channels_, shape);
    }
    if (specification.centers.empty()) return;
    centers_ = files::read_position_centers(specification.centers, shape.head_dim);
    check_shape(specification.centers, *centers_, shape);
  }

  std::size_t d() const { return static_cast<std::size_t>(shape_.head_dim); }
  std::size_t record_bytes() const {
    return turboquant::record_bytes(specification_.settings, shape_.head_dim);
  }
  const files::PositionCenters* centers() const { return centers_ ? &*centers_ : nullptr; }

  const HeadQuantizer& quantizer(const CacheSite& site) const {
    const auto layer = static_cast<std::size_t>(site.layer);
    const auto head = static_cast<std::size_t>(site.head);
    const std::size_t place = layer * static_cast<std::size_t>(shape_.heads) + head;
    std::call_once(made_[place], [&] {
      quantizers_[place] = std::make_unique<const HeadQuantizer>(
          specification_.settings, shape_.head_dim,
          channels_ ? channels_->row(layer, head) : std::vector<std::uint16_t>(),
          turboquant::Site{specification_.seed.value_or(kDefaultSeed), site.layer, site.head});
    });
    return *quantizers_[place];
  }

 private:
  TurboQuant specification_;
  Shape shape_;
  std::optional<files::HeadRows<std::uint16_t>> channels_;
  std::optional<files::PositionCenters> centers_;
  mutable std::vector<std::unique_ptr<const HeadQuantizer>> quantizers_;  ///< [layers, heads]
  mutable std::vector<std::once_flag> made_;
};

using SharedSetup = std::shared_ptr<const TurboQuantSetup>;

/// Records, and the rows that they give, as floats.
class ReconstructedRows {
 public:
  ReconstructedRows(SharedSetup setup, const CacheSite& site)
      : setup_(std::move(setup)), site_(site) {}

  void clear() {
    records_.clear();
    rows_.clear();
  }
  void append(const float* rows, std::size_t count) {
    if (count == 0) return;
    const std::size_t d = setup_->d(), bytes = setup_->record_bytes();
    const std::size_t before = rows_.size() / d;
    for (std::size_t i = 0; i < count; ++i)
      if (!all_finite(rows + i * d, d))
        reject(site_, site_.row_name(), before + i, rows + i * d, d, fits_float,
               "it must be a number");
    records_.resize((before + count) * bytes);
    rows_.resize((before + count) * d);
    const HeadQuantizer& quantizer = setup_->quantizer(site_);
    quantizer.write(rows, count, &records_[before * bytes]);
    quantizer.read(&records_[before * bytes], count, &rows_[before * d]);
  }
  const float* data() const { return rows_.data(); }
  std::size_t width() const { return setup_->d(); }
  double bytes_per_row() const { return static_cast<double>(setup_->record_bytes()); }
  [[noreturn]] void reject_faults() const { caches::reject_faults(TurboQuant::kName); }

 private:
  SharedSetup setup_;
  CacheSite site_;
  std::vector<std::uint8_t> records_;
  std::vector<float> rows_;
};

class TurboQuantCache : public transformer::KvCache {
 public:
  explicit TurboQuantCache(SharedSetup setup) : setup_(std::move(setup)) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    auto keys = std::make_unique<RowKeys<ReconstructedRows>>(
        ReconstructedRows(setup_, CacheSite{layer, head, false}));
    if (setup_->centers() == nullptr) return keys;
    return centered_keys(std::move(keys), *setup_->centers(), layer, head);
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return std::make_unique<RowValues<ReconstructedRows>>(
        ReconstructedRows(setup_, CacheSite{layer, head, true}));
  }

 private:
  SharedSetup setup_;
};

SharedCache make_turboquant_cache(const TurboQuant& row, const Shape& shape, const UnitTable&) {
  auto setup = std::make_shared<const TurboQuantSetup>(row, shape);
  return only_part(std::make_shared<TurboQuantCache>(std::move(setup)), row.part, shape);
}

bool reseed_turboquant(TurboQuant* row, std::uint64_t seed) {
  if (row->seed) return false;
  row->seed = seed;
  return true;
}

Parameter<TurboQuant> bits_key() {
  const auto member = [](auto& row) -> auto& { return row.settings.bits; };
  return {{"bits", "1|2|2.5|3|3.5|4", text_of(turboquant::Settings().bits),
           "bits of a channel, without norms"},
          [member](const std::string& value, TurboQuant* row) -> std::optional<std::string> {
            for (const double bits : {1.0, 2.0, 2.5, 3.0, 3.5, 4.0})
              if (value == text_of(bits)) {
                member(*row) = bits;
                return std::nullopt;
              }
            return "; it must be 1, 2, 2.5, 3, 3.5 or 4";
          },
          writer<TurboQuant>(member)};
}

std::vector<Parameter<TurboQuant>> turboquant_parameters() {
  using turboquant::Kind, turboquant::RotationKind, turboquant::ProjectionKind, turboquant::Scale;
  std::vector<Parameter<TurboQuant>> parameters = {
      choice_key<TurboQuant, Kind>(
          "kind", "the paper's algorithm 1, or 2",
          [](auto& row) -> auto& { return row.settings.kind; }),
      bits_key(),
      choice_key<TurboQuant, RotationKind>(
          "rotation", "random rotation of keys",
          [](auto& row) -> auto& { return row.settings.rotation; }),
      choice_key<TurboQuant, ProjectionKind>(
          "projection", "of the residual, with kind=prod",
          [](auto& row) -> auto& { return row.settings.projection; }),
      choice_key<TurboQuant, Scale>(
          "scale", "what the norm holds, with kind=mse",
          [](auto& row) -> auto& { return row.settings.scale; }),
      file_key<TurboQuant>(
          "split",
          "channels that get one bit more, with bits=2.5 and bits=3.5, by the file "
          "that 'axelram calibrate --channels' writes",
          [](auto& row) -> auto& { return row.split; }),
      centers_key<TurboQuant>(),
      seed_key<TurboQuant>(
          {"seed", "N", std::to_string(kDefaultSeed), "seed of rotations and projections"},
          [](auto& row) -> auto& { return row.seed; })};
  for (Parameter<TurboQuant>& one : part_parameters<TurboQuant>())
    parameters.push_back(std::move(one));
  return parameters;
}

}  // namespace

const Kind<TurboQuant>& TurboQuant::kind() {
  static const Kind<TurboQuant> kind{
      "TurboQuant as its paper states it, in double precision: for comparison only",
      turboquant_parameters(), make_turboquant_cache, reseed_turboquant};
  return kind;
}

}  // namespace axelram::caches
