#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "axelram/files/messages.hpp"
#include "axelram/files/tier_constants.hpp"
#include "axelram/half.hpp"

namespace axelram::files {
namespace {

constexpr std::size_t kMostRuns = 256 / 8;  // of channels of SQuat

/// The whole text as a number, or nothing.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

[[noreturn]] void reject_text(const Safetensors& file, const char* key, const std::string& text,
                              const std::string& right) {
  throw InputError(file.origin() + ": metadata " + key + ": " + in_quotes(text) + "; " + right);
}

/// Widths of the axes of tensors, as far as they are known. A tensor either has them or, where one
/// is not known yet, states it.
class Axes {
 public:
  Axes(const Safetensors& file, const TierNeeds& needs)
      : file_(file), layers_(needs.layers), heads_(needs.heads), d_(needs.d) {}

  std::size_t layers() const { return layers_; }
  std::size_t heads() const { return heads_; }
  std::size_t d() const { return d_; }

  void take_layers(const Tensor& tensor) { take(tensor, 0, "layer", &layers_); }
  void take_heads(const Tensor& tensor) { take(tensor, 1, "head", &heads_); }
  void take_d(const Tensor& tensor, std::size_t d) {
    if (d_ == 0) d_ = d;
    if (d_ != 32 && d_ != 64 && d_ != 128 && d_ != 256)
      throw InputError(file_.origin() + ": tensor " + tensor.name + ": shape is " +
                       printable(to_string(tensor.shape)) + "; heads of 32, 64, 128 or 256 " +
                       "channels are valid");
  }

  static void check(const Safetensors& file, const Tensor& tensor, const Shape& right) {
    if (tensor.shape != right)
      throw InputError(file.origin() + ": tensor " + tensor.name + ": shape is " +
                       printable(to_string(tensor.shape)) + "; it must be " + to_string(right));
  }

 private:
  void take(const Tensor& tensor, std::size_t axis, const char* name, std::size_t* width) const {
    if (tensor.shape[axis] == 0)
      throw InputError(file_.origin() + ": tensor " + tensor.name + ": shape is " +
                       printable(to_string(tensor.shape)) + "; it must have a " + name);
    if (*width == 0) *width = tensor.shape[axis];
  }

  const Safetensors& file_;
  std::size_t layers_, heads_, d_;
};

class ConstantsReader {
 public:
  ConstantsReader(const Safetensors& file, const TierNeeds& needs)
      : file_(file), needs_(needs), axes_(file, needs) {
    all_.origin = file.origin();
  }

  TierConstants read() {
    read_metadata();
    read_ranges();
    read_squat();
    for (int bits = 2; bits <= 4; ++bits) {
      read_codebook("key", bits, needs_.key_bits, &all_.key_codebooks, &all_.key_levels);
      read_codebook("value", bits, needs_.value_bits, &all_.value_codebooks, &all_.value_levels);
    }
    all_.layers = axes_.layers();
    all_.heads = axes_.heads();
    all_.d = axes_.d();
    return std::move(all_);
  }

 private:
  bool kvquant() const { return !needs_.key_bits.empty() || !needs_.value_bits.empty(); }

  /// Null where the file lacks it and may.
  const Tensor* tensor(const std::string& name, DataType type, std::size_t rank,
                       bool needed) const {
    if (!needed && file_.find(name) == nullptr) return nullptr;
    return &file_.at(name, type, rank);
  }

  const std::string* text(const std::string& key, bool needed) const {
    if (!needed && file_.metadata().count(key) == 0) return nullptr;
    return &file_.metadata_at(key);
  }

  [[noreturn]] void reject(const std::string& tensor, std::size_t layer,
                           std::optional<std::size_t> head, const std::string& what) const {
    throw InputError(file_.origin() + ": tensor " + tensor + ", layer " + std::to_string(layer) +
                     (head ? ", head " + std::to_string(*head) : "") + ", " + what);
  }

  void read_metadata() {
    const std::string &format = file_.metadata_at("format"),
                      &version = file_.metadata_at("version"), &rope = file_.metadata_at("rope");
    if (format != "axelram-tiers")
      reject_text(file_, "format", format, "constants of tiers have axelram-tiers");
    if (version != "1") reject_text(file_, "version", version, "this program reads 1");
    const std::optional<Rope> named = value_named<Rope>(rope);
    if (!named) reject_text(file_, "rope", rope, "post and pre are valid");
    all_.rope = *named;
    if (needs_.rope && all_.rope != *needs_.rope)
      reject_text(file_, "rope", rope,
                  "the store has rope=" + axelram::name_of(*needs_.rope) +
                      "; take constants that were calibrated with it");
    if (const std::string* const outliers = text("outliers", kvquant())) {
      const std::optional<double> share = number_in<double>(*outliers);
      if (!share || !(*share >= 0 && *share <= 0.25))
        reject_text(file_, "outliers", *outliers, "a number in 0..0.25 is valid");
      all_.outliers = *share;
    }
    if (const std::string* const channels = text("squat_channels", needs_.squat)) {
      const std::optional<unsigned> g = number_in<unsigned>(*channels);
      if (!g || *g < 8 || *g > 256 || (*g & (*g - 1)) != 0)
        reject_text(file_, "squat_channels", *channels, "a power of two in 8..256 is valid");
      all_.squat_channels = *g;
    }
    if (const std::string* const model = text("model", false)) read_model(*model);
  }

  void read_model(const std::string& digest) {
    if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
      reject_text(file_, "model", digest, "64 hexadecimal digits, a SHA-256, are valid");
    all_.model = digest;
    if (!needs_.model) return;
    const std::string right = needs_.model();
    if (digest != right)
      reject_text(file_, "model", digest,
                  "the model has " + right + "; take constants that were calibrated on it");
  }

  void read_ranges() {
    const bool needed = !needs_.key_bits.empty();
    const Tensor* const middles = tensor("key_middles", DataType::f16, 3, needed);
    const Tensor* const radii = tensor("key_radii", DataType::f16, 3, needed || middles != nullptr);
    if (radii == nullptr) return;
    if (middles == nullptr) file_.at("key_middles");
    for (const Tensor* const one : {middles, radii}) {
      axes_.take_layers(*one);
      axes_.take_heads(*one);
      axes_.take_d(*one, one->shape[2]);
      Axes::check(file_, *one, {axes_.layers(), axes_.heads(), axes_.d()});
    }
    all_.key_middles = middles->values<std::uint16_t>();
    all_.key_radii = radii->values<std::uint16_t>();
    check_halves("key_middles", all_.key_middles, false);
    check_halves("key_radii", all_.key_radii, true);
  }

  void check_halves(const char* name, const std::vector<std::uint16_t>& values,
                    bool not_negative) const {
    const std::size_t d = axes_.d();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = i / d;
      const double value = half_to_double(values[i]);
      const std::string place = "channel " + std::to_string(i % d) + ": ";
      if (!std::isfinite(value))
        reject(name, row / axes_.heads(), row % axes_.heads(),
               place + "NaN or infinity; it must be finite");
      if (not_negative && value < 0)
        reject(name, row / axes_.heads(), row % axes_.heads(),
               place + short_number(value) + "; it must not be negative");
    }
  }

  void read_squat() {
    const Tensor* const exponents = tensor("squat_exponents", DataType::i32, 3, needs_.squat);
    const Tensor* const matrices =
        tensor("squat_matrices", DataType::i16, 3, needs_.squat || exponents != nullptr);
    if (matrices == nullptr) {
      all_.squat_channels = 0;
      return;
    }
    if (exponents == nullptr) file_.at("squat_exponents");
    const std::size_t g = all_.squat_channels;
    if (g == 0) file_.metadata_at("squat_channels");
    axes_.take_layers(*exponents);
    axes_.take_heads(*exponents);
    if (exponents->shape[2] >= kMostRuns)
      throw InputError(file_.origin() + ": tensor squat_exponents: shape is " +
                       printable(to_string(exponents->shape)) + "; runs of " + std::to_string(g) +
                       " channels have at most " + std::to_string(256 / g - 1) + " exponents");
    axes_.take_d(*exponents, g * (exponents->shape[2] + 1));
    if (axes_.d() < g)
      reject_text(file_, "squat_channels", std::to_string(g),
                  "heads have " + std::to_string(axes_.d()) + " channels");
    const std::size_t runs = axes_.d() / g;
    Axes::check(file_, *exponents, {axes_.layers(), axes_.heads(), runs - 1});
    Axes::check(file_, *matrices, {axes_.layers(), axes_.heads(), g * g * (runs * (runs - 1) / 2)});
    all_.squat_matrices = matrices->values<std::int16_t>();
    all_.squat_exponents = exponents->values<std::int32_t>();
    for (std::size_t i = 0; i < all_.squat_exponents.size(); ++i) {
      const std::int32_t exponent = all_.squat_exponents[i];
      const std::size_t row = i / (runs - 1);
      if (exponent < kLeastSquatExponent || exponent > 0)
        reject("squat_exponents", row / axes_.heads(), row % axes_.heads(),
               "matrix " + std::to_string(i % (runs - 1) + 1) + ": " + std::to_string(exponent) +
                   "; it must lie in -20..0");
    }
  }

  void read_codebook(const std::string& part, int bits, const std::vector<int>& needed_bits,
                     TierConstants::ByBits* centroids, TierConstants::ByBits* levels) {
    const bool needed =
        std::find(needed_bits.begin(), needed_bits.end(), bits) != needed_bits.end();
    const auto at = static_cast<std::size_t>(bits - 2);
    read_numbers(part + "_codebook" + std::to_string(bits), bits, needed, true, &(*centroids)[at]);
    read_numbers(part + "_levels" + std::to_string(bits), bits, needed && needs_.qnorm, false,
                 &(*levels)[at]);
  }

  void read_numbers(const std::string& name, int bits, bool needed, bool ascending,
                    std::vector<std::uint16_t>* numbers) {
    const Tensor* const found = tensor(name, DataType::f16, 2, needed);
    if (found == nullptr) return;
    axes_.take_layers(*found);
    const std::size_t width = std::size_t{1} << bits;
    Axes::check(file_, *found, {axes_.layers(), width});
    *numbers = found->values<std::uint16_t>();
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      const double value = half_to_double((*numbers)[i]);
      const std::string place = "element " + std::to_string(i % width) + ": ";
      if (!std::isfinite(value))
        reject(name, i / width, {}, place + "NaN or infinity; it must be finite");
      if (!ascending || i % width == 0) continue;
      const double before = half_to_double((*numbers)[i - 1]);
      if (!(before < value))
        reject(name, i / width, {},
               place + short_number(value) + " behind " + short_number(before) +
                   "; centroids ascend strictly");
    }
  }

  const Safetensors& file_;
  const TierNeeds& needs_;
  Axes axes_;
  TierConstants all_;
};

}  // namespace

TierConstants tier_constants_from(const Safetensors& file, const TierNeeds& needs) {
  return ConstantsReader(file, needs).read();
}

TierConstants read_tier_constants(const std::string& path, const TierNeeds& needs) {
  return tier_constants_from(Safetensors::read(path), needs);
}

}  // namespace axelram::files
