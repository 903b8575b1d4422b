#include "axelram/kernels/feedback.hpp"
#include "common/row_checks.hpp"
#include "write/write_feedback.cuh"

namespace axelram::kernels {

void write_keys_with_feedback(Stream& stream, const MacroConstants& c,
                              const FeedbackHeads& feedback, const ElementRows& keys,
                              const KeyRotations& rotations, const std::uint16_t* center,
                              const WrittenRows& out) {
  constexpr const char* kName = "write_keys_with_feedback";
  const std::string shapes = check_keys(kName, c, keys, rotations, center, out);
  require(c.unbiased, kName, shapes, "feedback needs constants.unbiased");
  require_one_part(kName, c);
  require(out.thresholds == nullptr && out.reconstructions == nullptr && out.path_costs == nullptr,
          kName, shapes, "feedback has no thresholds, reconstructions or path costs");
  if (keys.rows() == 0) return;
  const bool full = feedback.columns != nullptr;
  require(feedback.weights != nullptr && (full || (feedback.u != nullptr && feedback.a != nullptr)),
          kName, shapes, "no weights, or neither columns nor u and a");
  const bool trellis = c.states != 0;
  const auto write = full ? (trellis ? write_path_full : write_each_full)
                          : (trellis ? write_path_rank1 : write_each_rank1);
  write(stream, {c, feedback, keys, rotations, center, out, kName, shapes});
}

}  // namespace axelram::kernels
