#pragma once

namespace axelram {

/// What a macro is made of: the fast units, or the *_ref units that define them. The results are
/// the same.
enum class Units { fast, reference };

}  // namespace axelram
