#include "rows/row_memory.hpp"

#include <algorithm>
#include <bit>
#include <utility>

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

void RowCode::count(const std::uint8_t* row, const std::uint8_t* data, const DecodeCounts& counts,
                    const std::uint8_t* statuses, transformer::MemoryEvents* events) const {
  events->stored_bits += stored_bits_;
  events->words += words_;
  events->corrected += counts.corrected;
  events->parity_only += counts.parity_only;
  events->detected += counts.detected;
  if (!code_) return;
  std::size_t last = words_;  // none
  for (std::size_t i = 0; i < data_bytes(); ++i) {
    // The padding is written as zeros.
    int wrong = data[i] ^ (i < row_bytes_ ? row[i] : 0);
    for (std::size_t bit = 8 * i; wrong != 0; wrong >>= 1, ++bit) {
      const std::size_t word = bit / static_cast<std::size_t>(code_->k);
      if ((wrong & 1) == 0 || word == last) continue;
      last = word;
      events->miscorrected += status_at(statuses, word) == WordStatus::detected ? 0 : 1;
    }
  }
}

RowMemory::RowMemory(std::shared_ptr<const RowCode> code, ErasurePolicy policy, Repair repair,
                     const Faults& faults, const FaultSite& site)
    : code_(std::move(code)),
      policy_(policy),
      repair_(std::move(repair)),
      repairs_(code_->code() != nullptr && policy != ErasurePolicy::keep),
      next_faults_(faults),
      site_(site),
      stored_(code_->stored_bytes()),
      mask_(code_->stored_bytes()),
      data_(code_->data_bytes()) {
  begin(0);
}

void RowMemory::begin(std::uint32_t sequence) {
  site_.seed = next_faults_.seed;
  site_.trial = sequence;
  threshold_ = fault_threshold(next_faults_.ber);
  rows_ = settled_ = 0;
  decoded_.clear();
  statuses_.clear();
  repaired_.clear();
  erased_.clear();
  as_last_.clear();
  last_.clear();
}

void RowMemory::inject(double p, std::uint64_t seed) {
  fault_threshold(p);
  next_faults_ = {p, seed};
}

void RowMemory::corrupt() {
  site_.token = static_cast<std::uint32_t>(rows_);
  code_->units().fault_mask(site_, code_->stored_bits(), threshold_, mask_.data());
  for (std::size_t i = 0; i < mask_.size(); ++i) {
    stored_[i] = static_cast<std::uint8_t>(stored_[i] ^ mask_[i]);
    events_.injected += static_cast<std::uint64_t>(std::popcount(mask_[i]));
  }
}

void RowMemory::append(const std::uint8_t* row) {
  code_->encode(row, stored_.data());
  if (threshold_ != 0) corrupt();
  statuses_.resize((rows_ + 1) * code_->status_bytes());
  std::uint8_t* const statuses = statuses_.data() + rows_ * code_->status_bytes();
  const DecodeCounts counts = code_->decode(stored_.data(), data_.data(), statuses);
  code_->count(row, data_.data(), counts, statuses, &events_);
  decoded_.insert(decoded_.end(), data_.begin(),
                  data_.begin() + static_cast<std::ptrdiff_t>(code_->row_bytes()));
  if (repairs_) erased_.push_back(counts.detected != 0 ? 1 : 0);
  ++rows_;
}

DecodedRecord RowMemory::decoded(std::size_t row) const {
  if (row >= rows_) return {};  // row 0 - 1 wraps around
  return {&decoded_[row * code_->row_bytes()], &statuses_[row * code_->status_bytes()]};
}

void RowMemory::repair(std::size_t row) {
  const std::size_t bytes = code_->row_bytes();
  std::uint8_t* const repaired = &repaired_[row * bytes];
  if (erased_[row] == 0) {
    std::copy_n(decoded(row).record, bytes, repaired);
    return;
  }
  repair_(row, decoded(row - 1), decoded(row), decoded(row + 1), repaired);
  if (policy_ != ErasurePolicy::interpolate || row + 1 == rows_) return;
  std::uint8_t* const as_last = stored_.data();  // unused between writes, never shorter than a row
  repair_(row, decoded(row - 1), decoded(row), {}, as_last);
  if (std::equal(as_last, as_last + bytes, repaired)) return;
  as_last_.insert(as_last_.end(), as_last, as_last + bytes);
  last_[row] = as_last_.size() / bytes;
}

std::size_t RowMemory::settle() {
  const std::size_t first = settled_ == 0 ? 0 : settled_ - 1;
  settled_ = rows_;
  if (!repairs_) return first;
  repaired_.resize(rows_ * code_->row_bytes());
  last_.resize(rows_);
  for (std::size_t row = first; row < rows_; ++row) repair(row);
  return first;
}

}  // namespace axelram::caches
