#include "axelram/faults/record_code.hpp"

#include <algorithm>
#include <utility>

namespace axelram::faults {
namespace {

Code code_of(const std::string& name) {
  if (name != "none") return make_code(name);
  Code bytes;
  bytes.name = name;
  bytes.n = bytes.k = 8;
  bytes.parity_rows.assign(8, 0);
  bytes.patterns = {{{}, WordStatus::clean}};
  return bytes;
}

}  // namespace

RecordCode::RecordCode(const std::string& name, const Parameters& parameters)
    : RecordCode(code_of(name), parameters) {}

RecordCode::RecordCode(Code code, const Parameters& parameters)
    : code_(std::move(code)),
      bulk_(code_),
      fields_(record_fields(parameters)),
      record_bytes_(static_cast<std::size_t>(parameters.record_bytes())),
      words_(code_.words(record_bytes_ * 8)) {}

std::size_t RecordCode::elements() const {
  std::size_t count = 0;
  for (const RecordField& field : fields_)
    if (field.kind != RecordField::Kind::norm) count += static_cast<std::size_t>(field.count);
  return count;
}

DecodeCounts RecordCode::decode(const std::uint8_t* stored, std::uint8_t* data,
                                std::uint8_t* statuses) const {
  if (coded()) return bulk_.decode(stored, data_bits(), data, statuses);
  std::copy_n(stored, record_bytes_, data);
  std::fill_n(statuses, status_bytes(), std::uint8_t{0});
  DecodeCounts counts;
  counts.clean = words_;
  return counts;
}

}  // namespace axelram::faults
