#pragma once

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::report {

/// Outputs of a result against others in FP64. NaN if they are undefined: no outputs, or only
/// zeros.
struct OutputAccuracy {
  double relative_rms_error;  ///< sqrt(sum of squared errors / sum of squared exact outputs)
  double max_abs_error;
};

/// Against attention in FP64 over the scores of the result and the records of its values, with the
/// configuration's softmax scale: what the integers behind the scores cost. Every query sees all
/// tokens. Not of a trellis.
OutputAccuracy accuracy_over_records(const files::Config& config, const files::Result& result);

/// Against attention in FP64 over the keys and values of the trace: what the macro costs.
OutputAccuracy accuracy_over_floats(const files::Config& config, const files::Trace& trace,
                                    const files::Result& result);

}  // namespace axelram::report
