#include "axelram_rows.hpp"

#include "elements.hpp"

namespace axelram::caches {

ElementRow::ElementRow(const Place& place, const Parameters& parameters)
    : place_(place),
      format_(parameters.element_format),
      elements_(static_cast<std::size_t>(parameters.head_dim)) {}

const std::uint16_t* ElementRow::of(const float* row, const char* row_name, std::size_t token) {
  if (!to_elements(row, elements_.size(), format_, elements_.data())) {
    reject(place_, row_name, token, row, elements_.size(),
           format_ == ElementFormat::fp16 ? fits_half : fits_bfloat16, element_advice(format_));
  }
  return elements_.data();
}

AxelramRows::AxelramRows(const AxelramUnits& units, const Place& place)
    : place_(place),
      datapath_(units.datapath(place.layer, place.head, place.value)),
      memory_(units.memory(place.layer, place.head, place.value)),
      element_row_(place, units.family().parameters()) {}

std::size_t AxelramRows::write(const float* rows, std::size_t count) {
  const auto d = static_cast<std::size_t>(datapath_.parameters().head_dim);
  for (std::size_t i = 0; i < count; ++i) {
    datapath_.write(element_row_.of(rows + i * d, place_.row_name(), memory_.size()), &written_);
    memory_.append(written_.record.data());
  }
  return memory_.settle();
}

}  // namespace axelram::caches
