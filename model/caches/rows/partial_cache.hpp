#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "specification/kind.hpp"

namespace axelram::caches {

/// Center of the keys of a layer and KV head: d floats, or none.
using CenterOf = std::function<std::vector<float>(int layer, int head)>;

/// The cache where `part` applies, with the rows and channels that it keeps in FP16; elsewhere
/// FP16. `cache` itself if the part is all of it. center: what the keys' scores leave out, since
/// scores of FP16 keys must leave it out too.
SharedCache only_part(SharedCache cache, const Part& part, const Shape& shape,
                      const CenterOf& center = {});

}  // namespace axelram::caches
