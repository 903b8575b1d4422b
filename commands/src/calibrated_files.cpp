#include "calibrated_files.hpp"

#include "axelram/files/exponents.hpp"

namespace axelram::commands {

void write_center(const std::string& path, const calibration::Keys& shape,
                  const std::vector<std::uint16_t>& center, ElementFormat format,
                  const files::Metadata& metadata, bool force) {
  const bool half = format == ElementFormat::fp16;
  files::write_safetensors(
      path,
      {files::view("center", half ? files::DataType::f16 : files::DataType::bf16,
                   {shape.layers, shape.heads, shape.head_dim}, center)},
      metadata, force);
}

void write_feedback(const std::string& path, const files::QueryMoments& moments,
                    calibration::Rank rank, const std::string& balance, files::Metadata metadata,
                    bool force) {
  metadata["rank"] = name_of(rank);
  files::add_balance(balance, &metadata);
  files::write_query_moments(path, moments, metadata, force);
}

}  // namespace axelram::commands
