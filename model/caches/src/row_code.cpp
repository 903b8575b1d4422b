#include "row_code.hpp"

#include <algorithm>

namespace axelram::caches {

RowCode::RowCode(const std::string& name, std::size_t bits, const UnitTable& units)
    : units_(&units), row_bytes_(bits / 8), data_bits_(bits), stored_bits_(bits) {
  if (name == "none") return;
  code_ = make_code(name);
  coder_ = units.bulk_coder(*code_);
  words_ = code_->words(bits);
  data_bits_ = words_ * static_cast<std::size_t>(code_->k);
  stored_bits_ = words_ * static_cast<std::size_t>(code_->n);
}

void RowCode::encode(const std::uint8_t* row, std::uint8_t* stored) const {
  if (!code_)
    std::copy_n(row, row_bytes_, stored);
  else
    coder_->encode(row, row_bytes_ * 8, stored);
}

DecodeCounts RowCode::decode(const std::uint8_t* stored, std::uint8_t* data,
                             std::uint8_t* statuses) const {
  if (!code_) {
    std::copy_n(stored, row_bytes_, data);
    return {};
  }
  return coder_->decode(stored, data_bits_, data, statuses);
}

}  // namespace axelram::caches
