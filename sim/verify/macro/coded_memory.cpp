#include "verify/macro/coded_memory.hpp"

namespace axelram::sim {
namespace {

constexpr std::uint64_t kCountLatency = 3;  ///< axelram_code_status

void flip(std::vector<std::uint8_t>* bytes, const std::vector<std::uint8_t>& mask) {
  for (std::size_t i = 0; i < mask.size(); ++i)
    (*bytes)[i] = static_cast<std::uint8_t>((*bytes)[i] ^ mask[i]);
}

void add(const DecodeCounts& counts, std::size_t key, bool written_back, KeyStoreEvents* events) {
  events->corrected += counts.corrected;
  events->parity_only += counts.parity_only;
  events->detected += counts.detected;
  events->scrubbed += written_back;
  const bool error = counts.corrected + counts.parity_only + counts.detected != 0;
  if (error && !events->first_error) events->first_error = key;
}

}  // namespace

CodedMemory::CodedMemory(const files::Config& config)
    : fields_(record_fields(config.parameters)),
      code_(make_code(config.ecc.code)),
      initial_(protection(config.ecc)),
      record_bits_(static_cast<std::size_t>(config.parameters.record_bits())),
      erasure_(initial_.erasure),
      write_back_(initial_.write_back) {}

void CodedMemory::reset() {
  erasure_ = initial_.erasure;
  write_back_ = initial_.write_back;
  injection_ = Injection::off;
  shown_armed_until_ = 0;
  memory_.clear();
  records_.clear();
  reads_.clear();
  query_.clear();
  lookups_.clear();
  recent_.clear();
  settled_ = {};
}

void CodedMemory::protect(ErasurePolicy erasure, bool write_back) {
  erasure_ = erasure;
  write_back_ = write_back;
}

void CodedMemory::inject(Injection injection, const std::vector<std::uint8_t>& mask,
                         std::uint64_t cycle) {
  injection_ = injection;
  mask_ = mask;
  shown_armed_until_ = 0;
  const auto bit = [&](std::size_t at) { return mask[at / 8] >> (at % 8) & 1; };
  for (std::size_t word = 0; word < code_.words(record_bits_); ++word) {
    int weight = 0;
    for (int i = 0; i < code_.n; ++i)
      weight += bit(word * static_cast<std::size_t>(code_.n) + static_cast<std::size_t>(i));
    corners.injected_beyond += injection != Injection::off && weight > code_.correctable;
  }
  if (injection == Injection::off) ++corners.injected[0];
  if (reads_.empty() || reads_.back().cycle + 1 != cycle) return;
  reads_.back().received = memory_[reads_.back().key];
  apply_read_mask(&reads_.back());
}

void CodedMemory::store(std::size_t key, const std::vector<std::uint8_t>& record,
                        std::uint64_t cycle) {
  memory_.resize(key + 1);  // later keys have been cleared
  records_.resize(key + 1);
  records_[key] = record;
  memory_[key].resize(code_.codeword_bytes(record_bits_));
  encode_bulk_ref(code_, record.data(), record_bits_, memory_[key].data());
  if (injection_ != Injection::next_write) return;
  flip(&memory_[key], mask_);
  ++corners.injected[static_cast<std::size_t>(injection_)];
  injection_ = Injection::off;
  shown_armed_until_ = cycle;
}

void CodedMemory::apply_read_mask(Read* read) {
  if (injection_ != Injection::next_read && injection_ != Injection::every_read) return;
  flip(&read->received, mask_);
  ++corners.injected[static_cast<std::size_t>(injection_)];
  if (injection_ != Injection::next_read) return;
  injection_ = Injection::off;
  shown_armed_until_ = read->cycle + 1;  // data follow the address by one cycle
}

void CodedMemory::read(std::size_t key, std::uint64_t cycle) {
  reads_.push_back({key, cycle, memory_.at(key)});
  apply_read_mask(&reads_.back());
}

std::optional<CodedMemory::Decoded> CodedMemory::decode(bool scrub, std::uint64_t cycle) {
  if (reads_.empty()) return std::nullopt;
  Read read = std::move(reads_.front());
  reads_.pop_front();
  Decoded decoded;
  decoded.key = read.key;
  decoded.record.resize(record_bits_ / 8);
  decoded.statuses.resize(status_bytes(code_.words(record_bits_)));
  const DecodeCounts counts = decode_bulk_ref(code_, read.received.data(), record_bits_,
                                              decoded.record.data(), decoded.statuses.data());
  decoded.changed = counts.corrected + counts.parity_only != 0;
  corners.corrected += counts.corrected;
  corners.parity_only += counts.parity_only;
  corners.detected += counts.detected;
  corners.undetected +=
      counts.detected == 0 && read.key < records_.size() && decoded.record != records_[read.key];
  correct_bulk_ref(code_, read.received.data(), record_bits_);
  corrected_ = {read.key, std::move(read.received)};
  while (!recent_.empty() && recent_.front().cycle + kCountLatency + 2 < cycle) {
    const Event& event = recent_.front();
    add(event.counts, event.key, event.written_back, &settled_);
    recent_.pop_front();
  }
  recent_.push_back({cycle, read.key, counts, false});
  if (!scrub) follow_query(decoded);
  return decoded;
}

void CodedMemory::write_back(std::uint64_t cycle) {
  if (corrected_.first < memory_.size()) memory_[corrected_.first] = corrected_.second;
  recent_.push_back({cycle, corrected_.first, {}, true});
}

void CodedMemory::follow_query(const Decoded& decoded) {
  if (decoded.key == 0) query_.clear();
  query_.push_back(decoded);
  if (decoded.key > 0) repair(decoded.key - 1);
  if (decoded.key + 1 == memory_.size()) repair(decoded.key);
}

void CodedMemory::repair(std::size_t key) {
  const auto at = [&](std::size_t k) {
    if (k >= query_.size()) return DecodedRecord{};
    return DecodedRecord{query_[k].record.data(), query_[k].statuses.data()};
  };
  std::vector<std::uint8_t> record(record_bits_ / 8);
  note_repair(code_, erasure_, fields_, at(key - 1), at(key), at(key + 1), &corners);
  repair_record_ref(code_, erasure_, fields_, at(key - 1), at(key), at(key + 1), record.data());
  lookups_.push_back(std::move(record));
}

std::optional<std::vector<std::uint8_t>> CodedMemory::lookup() {
  if (lookups_.empty()) return std::nullopt;
  std::vector<std::uint8_t> record = std::move(lookups_.front());
  lookups_.pop_front();
  return record;
}

void CodedMemory::clear_events(std::uint64_t cycle) {
  settled_ = {};
  while (!recent_.empty() && recent_.front().cycle + kCountLatency - 1 < cycle) recent_.pop_front();
  corners.events_at_clear += !recent_.empty();
}

KeyStoreEvents CodedMemory::events(std::uint64_t cycle) const {
  KeyStoreEvents events = settled_;
  for (const Event& event : recent_)
    if (event.cycle + kCountLatency <= cycle)
      add(event.counts, event.key, event.written_back, &events);
  return events;
}

}  // namespace axelram::sim
