#include "axelram/key_store.hpp"

#include <algorithm>

namespace axelram {

KeyStore::KeyStore(const Parameters& parameters, std::size_t max_keys, const Protection& protection)
    : parameters_(parameters),
      max_keys_(max_keys),
      protection_(protection),
      record_bytes_(static_cast<std::size_t>(parameters.record_bytes())),
      stored_bytes_(record_bytes_) {
  if (protection.code == "none") return;
  code_ = make_code(protection.code);
  stored_bytes_ = code_->codeword_bytes(record_bytes_ * 8);
  status_bytes_ = axelram::status_bytes(code_->words(record_bytes_ * 8));
}

bool KeyStore::write(const std::uint8_t* record) {
  if (keys_ == max_keys_) return false;
  memory_.resize((keys_ + 1) * stored_bytes_);
  std::uint8_t* const place = &memory_[keys_ * stored_bytes_];
  if (code_)
    encode_bulk_ref(*code_, record, record_bytes_ * 8, place);
  else
    std::copy_n(record, record_bytes_, place);
  ++keys_;
  return true;
}

void KeyStore::clear() {
  keys_ = 0;
  memory_.clear();
}

void KeyStore::set_stored(std::size_t key, const std::uint8_t* bytes) {
  std::copy_n(bytes, stored_bytes_, &memory_[key * stored_bytes_]);
}

void KeyStore::count(std::size_t key, const DecodeCounts& counts) {
  events_.corrected += counts.corrected;
  events_.parity_only += counts.parity_only;
  events_.detected += counts.detected;
  const bool error = counts.corrected + counts.parity_only + counts.detected != 0;
  if (error && !events_.first_error) events_.first_error = key;
}

void KeyStore::write_back(std::size_t key) {
  const std::uint64_t replaced =
      correct_bulk_ref(*code_, &memory_[key * stored_bytes_], record_bytes_ * 8);
  events_.scrubbed += replaced != 0;
}

DecodedRecord KeyStore::decoded(std::size_t key) const {
  if (key >= keys_) return {};  // also the one before key 0
  return {&decoded_[key * record_bytes_], &statuses_[key * status_bytes_]};
}

const std::uint8_t* KeyStore::read() {
  if (!code_) return memory_.data();
  decoded_.resize(keys_ * record_bytes_);
  statuses_.resize(keys_ * status_bytes_);
  bool erasures = false;
  for (std::size_t key = 0; key < keys_; ++key) {
    const DecodeCounts counts =
        decode_bulk_ref(*code_, stored(key), record_bytes_ * 8, &decoded_[key * record_bytes_],
                        &statuses_[key * status_bytes_]);
    count(key, counts);
    erasures = erasures || counts.detected != 0;
    if (protection_.write_back && counts.corrected + counts.parity_only != 0) write_back(key);
  }
  if (!erasures || protection_.erasure == ErasurePolicy::keep) return decoded_.data();
  repaired_.resize(decoded_.size());
  for (std::size_t key = 0; key < keys_; ++key)
    repair_record_ref(*code_, protection_.erasure, parameters_.head_dim, parameters_.index_bits,
                      decoded(key - 1), decoded(key), decoded(key + 1),
                      &repaired_[key * record_bytes_]);
  return repaired_.data();
}

const std::uint8_t* KeyStore::statuses(std::size_t key) const {
  return code_ ? &statuses_[key * status_bytes_] : nullptr;
}

void KeyStore::scrub(std::size_t key) {
  if (!code_) return;
  std::vector<std::uint8_t> record(record_bytes_);
  count(key, decode_bulk_ref(*code_, stored(key), record_bytes_ * 8, record.data(), nullptr));
  write_back(key);
}

}  // namespace axelram
