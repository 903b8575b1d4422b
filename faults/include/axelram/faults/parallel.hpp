#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace axelram::faults {

/// Runs task(i, worker) once for each i below `count`, on at most `threads` threads, of which this
/// one is worker 0. Rethrows an exception of a task, after those that run have ended; the rest does
/// not begin.
void in_parallel(std::size_t threads, std::uint64_t count,
                 const std::function<void(std::uint64_t i, std::size_t worker)>& task);

}  // namespace axelram::faults
