#include "axelram/caches/axelram_family.hpp"

#include <algorithm>
#include <string>

#include "axelram/signs.hpp"

namespace axelram::caches {
namespace {

using Source = files::Rotation::Source;

template <class T>
void check_shape(const std::string& path, const files::HeadRows<T>& rows, const Shape& shape) {
  if (rows.layers == static_cast<std::size_t>(shape.layers) &&
      rows.heads == static_cast<std::size_t>(shape.heads))
    return;
  throw files::InputError(path + ": it has " + std::to_string(rows.layers) + " layers of " +
                          std::to_string(rows.heads) + " KV heads, the model " +
                          std::to_string(shape.layers) + " of " + std::to_string(shape.heads) +
                          "; it must be of this model");
}

std::string head_dim_advice(int head_dim) {
  for (const int known : {32, 64, 128, 256})
    if (head_dim == known) return "use a configuration with head_dim: " + std::to_string(head_dim);
  return "macros have heads of 32, 64, 128 or 256, so this model needs another cache";
}

}  // namespace

AxelramFamily::AxelramFamily(const Axelram& store, const Shape& shape)
    : store_(store), config_(files::read_config(store.config)) {
  const Parameters& p = config_.parameters;
  const files::Rotation& rotation = config_.rotation;
  if (p.head_dim != shape.head_dim)
    throw files::InputError(store.config + ": head_dim is " + std::to_string(p.head_dim) +
                            ", the model's is " + std::to_string(shape.head_dim) + "; " +
                            head_dim_advice(shape.head_dim));
  if (store.seed && rotation.source != Source::seed)
    throw files::InputError(store.config + ": rotation has " +
                            (rotation.source == Source::identity ? "identity" : "signs") +
                            ", which a seed would replace; leave seed out of the cache "
                            "specification");
  const std::string folder = files::folder_of(store.config);
  if (rotation.source == Source::signs_file) {
    const std::string path = files::inside(folder, rotation.signs_file);
    signs_ = files::read_signs(path, p);
    check_shape(path, *signs_, shape);
  }
  if (p.centered) {
    const std::string path = files::inside(folder, rotation.center_file);
    center_ = files::read_center(path, p);
    check_shape(path, *center_, shape);
  }
  rom_ = std::make_shared<const CodebookRom>(codebook_rom(p));
}

std::vector<std::int8_t> AxelramFamily::signs(int layer, int head) const {
  if (signs_) return signs_->row(static_cast<std::size_t>(layer), static_cast<std::size_t>(head));
  std::vector<std::int8_t> signs(static_cast<std::size_t>(config_.parameters.head_dim), 1);
  if (config_.rotation.source == Source::seed)
    sign_vector(store_.seed.value_or(config_.rotation.seed), layer, head,
                config_.parameters.head_dim, signs.data());
  return signs;
}

std::vector<std::uint16_t> AxelramFamily::center(int layer, int head) const {
  if (!center_) return {};
  return center_->row(static_cast<std::size_t>(layer), static_cast<std::size_t>(head));
}

}  // namespace axelram::caches
