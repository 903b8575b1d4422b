#include "axelram/files/feedback.hpp"

#include <algorithm>
#include <cmath>

namespace axelram::files {
namespace {

constexpr double kUnitNorm = 1e-3;  // deviation from 1 of the norm of a direction

/// Where an element of a tensor [layers, heads, ...] is, and what is wrong there.
[[noreturn]] void reject_moment(const std::string& path, const char* tensor, std::size_t heads,
                                std::size_t row, const std::string& what) {
  throw InputError(path + ": tensor " + tensor + ", layer " + std::to_string(row / heads) +
                   ", head " + std::to_string(row % heads) + ": " + what);
}

void check_finite(const std::string& path, const char* tensor, std::size_t heads,
                  const std::vector<float>& values, std::size_t width) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      reject_moment(
          path, tensor, heads, i / width,
          "element " + std::to_string(i % width) + " is NaN or infinity; it must be finite");
}

void check_rank1(const std::string& path, const QueryMoments& all) {
  check_finite(path, "directions", all.heads, all.directions, all.d);
  check_finite(path, "alphas", all.heads, all.alphas, 1);
  for (std::size_t row = 0; row < all.alphas.size(); ++row) {
    if (all.alphas[row] < 0 || all.alphas[row] > static_cast<float>(kMostAlpha))
      reject_moment(path, "alphas", all.heads, row,
                    std::to_string(all.alphas[row]) + "; it must lie in 0..1000000");
    double sum = 0;
    for (std::size_t i = 0; i < all.d; ++i) {
      const double element = all.directions[row * all.d + i];
      sum += element * element;
    }
    if (std::abs(std::sqrt(sum) - 1) > kUnitNorm)
      reject_moment(path, "directions", all.heads, row,
                    "the norm is " + std::to_string(std::sqrt(sum)) + "; it must be 1");
  }
}

void check_full(const std::string& path, const QueryMoments& all) {
  const std::size_t d = all.d;
  check_finite(path, "moments", all.heads, all.moments, d * d);
  for (std::size_t row = 0; row < all.layers * all.heads; ++row) {
    const float* const m = &all.moments[row * d * d];
    for (std::size_t i = 0; i < d; ++i) {
      if (m[i * d + i] < 0)
        reject_moment(
            path, "moments", all.heads, row,
            "diagonal element " + std::to_string(i) + " is negative; it is a mean square");
      for (std::size_t j = 0; j < i; ++j)
        if (m[i * d + j] != m[j * d + i])
          reject_moment(path, "moments", all.heads, row,
                        "elements (" + std::to_string(i) + ", " + std::to_string(j) + ") and (" +
                            std::to_string(j) + ", " + std::to_string(i) +
                            ") differ; a second moment is symmetric");
    }
  }
}

}  // namespace

QueryMoment QueryMoments::at(std::size_t layer, std::size_t head) const {
  const std::size_t row = layer * heads + head;
  const auto slice = [row](const std::vector<float>& values, std::size_t width) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width);
    return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(width));
  };
  if (!moments.empty()) return {{}, 0, slice(moments, d * d)};
  return {slice(directions, d), alphas[row], {}};
}

std::optional<std::string> encoder_file(const std::string& text) {
  const std::string kind = "feedback:";
  if (text.size() <= kind.size() || text.compare(0, kind.size(), kind) != 0) return std::nullopt;
  return text.substr(kind.size());
}

void check_feedback_scale(const std::string& where, const Parameters& parameters) {
  if (parameters.scale != ScaleKind::unbiased)
    throw InputError(where + ": quantizer.scale is " + axelram::name_of(parameters.scale) +
                     "; an encoder with feedback needs unbiased");
  if (parameters.split())
    throw InputError(where + ": there is a split; an encoder with feedback has none");
}

QueryMoments read_query_moments(const std::string& path, int head_dim) {
  const Safetensors file = Safetensors::read(path);
  const auto d = static_cast<std::uint64_t>(head_dim);
  const bool full = file.find("moments") != nullptr;
  const Tensor& tensor =
      full ? file.at("moments", DataType::f32, 4) : file.at("directions", DataType::f32, 3);
  if (tensor.shape[2] != d || tensor.shape.back() != d)
    throw InputError(path + ": tensor " + tensor.name + ": shape is " + to_string(tensor.shape) +
                     "; it must be [layers, heads, " + std::to_string(d) +
                     (full ? ", " + std::to_string(d) : "") + "]");
  QueryMoments all{tensor.shape[0], tensor.shape[1], tensor.shape[2], {}, {}, {}};
  if (full) {
    all.moments = tensor.values<float>();
    check_full(path, all);
    return all;
  }
  const Tensor& alphas = file.at("alphas", DataType::f32, 2);
  if (alphas.shape != Shape{all.layers, all.heads})
    throw InputError(path + ": tensor alphas: shape is " + to_string(alphas.shape) +
                     "; directions has " + to_string(Shape{all.layers, all.heads}) +
                     " layers and heads");
  all.directions = tensor.values<float>();
  all.alphas = alphas.values<float>();
  check_rank1(path, all);
  return all;
}

void write_query_moments(const std::string& path, const QueryMoments& all, const Metadata& metadata,
                         bool force) {
  const Shape heads = {all.layers, all.heads};
  if (!all.moments.empty()) {
    const Shape shape = {all.layers, all.heads, all.d, all.d};
    write_safetensors(path, {view("moments", DataType::f32, shape, all.moments)}, metadata, force);
    return;
  }
  write_safetensors(
      path,
      {view("directions", DataType::f32, {all.layers, all.heads, all.d}, all.directions),
       view("alphas", DataType::f32, heads, all.alphas)},
      metadata, force);
}

}  // namespace axelram::files
