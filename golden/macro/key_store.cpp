#include "axelram/key_store.hpp"

#include <algorithm>
#include <stdexcept>

namespace axelram {
namespace {

void flip(std::uint8_t* bytes, const std::vector<std::uint8_t>& mask) {
  for (std::size_t i = 0; i < mask.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ mask[i]);
}

}  // namespace

KeyStore::KeyStore(const Parameters& parameters, std::size_t max_keys, const Protection& protection,
                   const UnitTable& units)
    : parameters_(parameters),
      max_keys_(max_keys),
      protection_(protection),
      fields_(record_fields(parameters)),
      record_bytes_(static_cast<std::size_t>(parameters.record_bytes())),
      stored_bytes_(record_bytes_) {
  if (protection.code == "none") return;
  code_ = make_code(protection.code);
  coder_ = units.bulk_coder(*code_);
  stored_bytes_ = code_->codeword_bytes(record_bytes_ * 8);
  status_bytes_ = axelram::status_bytes(code_->words(record_bytes_ * 8));
}

bool KeyStore::write(const std::uint8_t* record) {
  if (keys_ == max_keys_) return false;
  write_at(keys_, record);
  return true;
}

void KeyStore::write_at(std::size_t place, const std::uint8_t* record) {
  if (place >= keys_) {
    keys_ = place + 1;
    memory_.resize(keys_ * stored_bytes_);
  }
  std::uint8_t* const stored = &memory_[place * stored_bytes_];
  if (code_)
    coder_->encode(record, record_bytes_ * 8, stored);
  else
    std::copy_n(record, record_bytes_, stored);
  if (injection_ == Injection::next_write) {
    flip(stored, mask_);
    injection_ = Injection::off;
  }
}

void KeyStore::clear() {
  keys_ = 0;
  memory_.clear();
}

void KeyStore::set_stored(std::size_t key, const std::uint8_t* bytes) {
  std::copy_n(bytes, stored_bytes_, &memory_[key * stored_bytes_]);
}

void KeyStore::inject(Injection injection, const std::vector<std::uint8_t>& mask) {
  if (!code_) throw std::logic_error("only a key store with a code injects errors");
  if (mask.size() != stored_bytes_)
    throw std::invalid_argument("an injection mask has as many bytes as a stored key");
  injection_ = injection;
  mask_ = mask;
}

void KeyStore::receive(std::size_t key) {
  received_.assign(stored(key), stored(key) + stored_bytes_);
  if (injection_ == Injection::next_read || injection_ == Injection::every_read)
    flip(received_.data(), mask_);
  if (injection_ == Injection::next_read) injection_ = Injection::off;
}

void KeyStore::count(std::size_t key, const DecodeCounts& counts) {
  events_.corrected += counts.corrected;
  events_.parity_only += counts.parity_only;
  events_.detected += counts.detected;
  const bool error = counts.corrected + counts.parity_only + counts.detected != 0;
  if (error && !events_.first_error) events_.first_error = key;
}

void KeyStore::write_back(std::size_t key) {
  if (coder_->correct(received_.data(), record_bytes_ * 8) == 0) return;
  set_stored(key, received_.data());
  ++events_.scrubbed;
}

DecodedRecord KeyStore::decoded(std::size_t number) const {
  if (number >= decoded_.size() / record_bytes_) return {};  // also the one before number 0
  return {&decoded_[number * record_bytes_], &statuses_[number * status_bytes_]};
}

const std::uint8_t* KeyStore::read() {
  is_ordered_ = false;
  return code_ ? read_coded(nullptr, keys_) : memory_.data();
}

const std::uint8_t* KeyStore::read(const std::uint32_t* places, std::size_t count) {
  is_ordered_ = true;
  if (code_) return read_coded(places, count);
  decoded_.resize(count * record_bytes_);
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(stored(places[i]), record_bytes_, &decoded_[i * record_bytes_]);
  return decoded_.data();
}

const std::uint8_t* KeyStore::read_coded(const std::uint32_t* places, std::size_t count) {
  decoded_.resize(count * record_bytes_);
  statuses_.resize(count * status_bytes_);
  bool erasures = false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t key = places != nullptr ? places[i] : i;
    receive(key);
    const DecodeCounts counts =
        coder_->decode(received_.data(), record_bytes_ * 8, &decoded_[i * record_bytes_],
                       &statuses_[i * status_bytes_]);
    this->count(key, counts);
    erasures = erasures || counts.detected != 0;
    if (protection_.write_back && counts.corrected + counts.parity_only != 0) write_back(key);
  }
  is_repaired_ = erasures && protection_.erasure != ErasurePolicy::keep;
  if (!is_repaired_) return decoded_.data();
  repaired_.resize(decoded_.size());
  for (std::size_t i = 0; i < count; ++i)
    repair_record_ref(*code_, protection_.erasure, fields_, decoded(i - 1), decoded(i),
                      decoded(i + 1), &repaired_[i * record_bytes_]);
  return repaired_.data();
}

const std::uint8_t* KeyStore::last_read() const {
  if (!code_) return is_ordered_ ? decoded_.data() : memory_.data();
  return is_repaired_ ? repaired_.data() : decoded_.data();
}

const std::uint8_t* KeyStore::statuses(std::size_t key) const {
  return code_ ? &statuses_[key * status_bytes_] : nullptr;
}

void KeyStore::scrub(std::size_t key) {
  if (!code_) return;
  std::vector<std::uint8_t> record(record_bytes_);
  receive(key);
  count(key, coder_->decode(received_.data(), record_bytes_ * 8, record.data(), nullptr));
  write_back(key);
}

}  // namespace axelram
