#include "axelram/faults/workload.hpp"

#include <algorithm>
#include <cmath>

namespace axelram::faults {

Workload::Workload(const std::string& code, const Parameters& parameters, FaultEngine& engine)
    : code_(code, parameters), stored_(engine.stored()) {
  elements_.tokens = stored_.size() / code_.stored_bytes();
  data_.resize(elements_.tokens * code_.data_bytes());
  std::vector<std::uint8_t> statuses(code_.status_bytes());
  for (std::size_t t = 0; t < elements_.tokens; ++t) {
    std::uint8_t* const data = &data_[t * code_.data_bytes()];
    code_.decode(stored(t), data, statuses.data());
    for (const RecordField& field : code_.fields()) {
      const std::vector<std::uint16_t> values = field_values(field, data);
      if (field.kind == RecordField::Kind::norm)
        elements_.norms.insert(elements_.norms.end(), values.begin(), values.end());
      else
        for (const std::uint16_t value : values)
          elements_.values.push_back(static_cast<std::uint8_t>(value));
    }
  }
  scores_ = engine.read(std::vector<std::uint8_t>(stored_.size()), ErasurePolicy::keep).scores;
  for (const float score : scores_) score_squares_ += static_cast<double>(score) * score;
}

Workload::ScoreError Workload::score_error(const std::vector<float>& scores) const {
  if (!scorable()) return {0, 0};
  double squares = 0, largest = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double difference = static_cast<double>(scores[i]) - scores_[i];
    squares += difference * difference;
    largest = std::max(largest, std::fabs(difference));
  }
  if (squares == 0) return {0, 0};
  const auto count = static_cast<double>(scores.size());
  return {std::sqrt(squares / score_squares_), largest / std::sqrt(score_squares_ / count)};
}

}  // namespace axelram::faults
