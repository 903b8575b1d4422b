#include "axelram/caches/axelram_setup.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>

#include "axelram/files/exponents.hpp"
#include "axelram/files/places.hpp"
#include "axelram/logit.hpp"
#include "rows/model_rows.hpp"

namespace axelram::caches {
namespace {

using Source = files::Rotation::Source;

std::string head_dim_advice(int head_dim) {
  for (const int known : {32, 64, 128, 256})
    if (head_dim == known) return "use a configuration with head_dim: " + std::to_string(head_dim);
  return "a macro has a head_dim of 32, 64, 128 or 256: use another cache for this model";
}

Axelram with_file(Axelram specification) {
  specification.config = files::find_config_file(specification.config);
  return specification;
}

}  // namespace

void put_balance(const std::string& config_file, const std::string& balance,
                 files::Config* config) {
  if (balance.empty()) return;
  files::Rotation& rotation = config->rotation;
  if (!rotation.balance_file.empty())
    throw files::InputError(config_file + ": rotation has a balance, " + rotation.balance_file +
                            ", in place of which balance=" + balance +
                            " would stand; leave one of them out");
  rotation.balance_file = std::filesystem::absolute(balance).string();
  config->parameters.balanced = true;
}

AxelramSetup::AxelramSetup(const Axelram& specification, const Shape& shape)
    : specification_(with_file(specification)), config_(files::read_config(specification_.config)) {
  files::reject_bounded_memory(config_, "a cache of records");
  const std::string& file = specification_.config;
  put_balance(file, specification_.balance, &config_);
  const Parameters& p = config_.parameters;
  const files::Rotation& rotation = config_.rotation;
  if (p.head_dim != shape.head_dim)
    throw files::InputError(file + ": head_dim is " + std::to_string(p.head_dim) +
                            ", the model's is " + std::to_string(shape.head_dim) + "; " +
                            head_dim_advice(shape.head_dim));
  if (specification.seed && rotation.source != Source::seed)
    throw files::InputError(file + ": rotation has " +
                            (rotation.source == Source::identity ? "identity" : "signs") +
                            ", which a seed would replace; leave seed out of the cache "
                            "specification");
  const std::string folder = files::folder_of(file);
  if (rotation.source == Source::signs_file) {
    const std::string path = files::inside(folder, rotation.signs_file);
    constants_.signs = files::read_signs(path, p);
    check_shape(path, *constants_.signs, shape);
  }
  if (p.split()) {
    const std::string path = files::inside(folder, config_.channels_file);
    constants_.channels = files::read_channels(path, p);
    check_shape(path, *constants_.channels, shape);
  }
  files::BalanceInUse balance;
  if (p.balanced) {
    balance.file = specification_.balance.empty() ? files::inside(folder, rotation.balance_file)
                                                  : specification_.balance;
    constants_.balance = files::read_exponents(balance.file, p);
    check_shape(balance.file, *constants_.balance, shape);
    balance.digest = files::exponents_digest(*constants_.balance);
  }
  if (p.centered) {
    const std::string path = files::inside(folder, rotation.center_file);
    constants_.center = files::read_center(path, p);
    check_shape(path, *constants_.center, shape);
    files::check_made_for(path, balance);
  }
  if (!specification_.feedback.empty()) {
    files::check_feedback_scale(file, p);
    constants_.moments = files::read_query_moments(specification_.feedback, p.head_dim);
    check_shape(specification_.feedback, *constants_.moments, shape);
    files::check_made_for(specification_.feedback, balance);
  }
  if (!specification_.centers.empty()) {
    reject_attention("a cache with centers of positions");
    if (p.centered)
      throw files::InputError(file + ": rotation has a center, to which centers=" +
                              specification_.centers + " would add; leave one of them out");
    constants_.centers = files::read_position_centers(specification_.centers, p.head_dim);
    check_shape(specification_.centers, *constants_.centers, shape);
  }
  rom_ = std::make_shared<const CodebookRom>(codebook_rom(p));
  if (attends()) check_scale(shape.attention_scale);
}

AxelramSetup::AxelramSetup(const files::Config& config, HeadConstants constants)
    : config_(config),
      rom_(std::make_shared<const CodebookRom>(codebook_rom(config.parameters))),
      constants_(std::move(constants)) {}

Parameters AxelramSetup::parameters(bool values) const {
  Parameters parameters = config_.parameters;
  if (values) parameters.balanced = parameters.centered = false;
  return parameters;
}

void AxelramSetup::check_tokens(std::size_t tokens) const {
  if (tokens > static_cast<std::size_t>(config_.max_keys))
    throw files::InputError(specification_.config + ": macro.max_keys is " +
                            std::to_string(config_.max_keys) + "; a sequence has " +
                            std::to_string(tokens) +
                            " tokens, all of which a macro with attention "
                            "must hold: take a shorter window or more max_keys");
}

void AxelramSetup::check_scale(double scale) const {
  // Both are rounded to the same bits (bit-contract.md#softmax-scale).
  const double own = config_.attention.parameters.scale;
  if (softmax_scale(rom_->score_scale, own) == softmax_scale(rom_->score_scale, scale)) return;
  std::ostringstream text;
  text.precision(17);
  text << specification_.config << ": attention.scale is " << own << ", the model's is " << scale
       << "; write attention: {scale: " << scale << "}";
  throw files::InputError(text.str());
}

HeadRotation AxelramSetup::rotation(int layer, int head) const {
  const auto row = [layer, head](const auto& rows) {
    using Row = decltype(rows->row(0, 0));
    return rows ? rows->row(static_cast<std::size_t>(layer), static_cast<std::size_t>(head))
                : Row();
  };
  files::Rotation rotation = config_.rotation;
  rotation.layer = layer;
  rotation.head = head;
  rotation.seed = specification_.seed.value_or(rotation.seed);
  return files::head_rotation(config_.parameters, rotation, row(constants_.signs),
                              row(constants_.channels), row(constants_.balance));
}

std::vector<std::uint16_t> AxelramSetup::center(int layer, int head) const {
  if (!constants_.center) return {};
  return constants_.center->row(static_cast<std::size_t>(layer), static_cast<std::size_t>(head));
}

std::shared_ptr<const Feedback> AxelramSetup::feedback(int layer, int head) const {
  if (!constants_.moments) return nullptr;
  return feedback_of(
      constants_.moments->at(static_cast<std::size_t>(layer), static_cast<std::size_t>(head)),
      signs(layer, head).data(), config_.parameters.head_dim);
}

}  // namespace axelram::caches
