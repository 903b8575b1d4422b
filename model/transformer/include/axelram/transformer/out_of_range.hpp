#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "axelram/files/errors.hpp"

namespace axelram::transformer {

/// A row that a cache cannot represent. The message ends with what the cache advises.
class OutOfRange : public files::InputError {
 public:
  OutOfRange(std::string found, const std::string& advice)
      : InputError(found + "; " + advice), found_(std::move(found)) {}

  const std::string& found() const { return found_; }  ///< the message without the advice

  std::size_t cache = 0;  ///< number of the cache, where several are evaluated

 private:
  std::string found_;
};

/// Runs `work` with cache number `cache`, which an OutOfRange of it has then.
template <class Work>
void with_cache(std::size_t cache, const Work& work) {
  try {
    work();
  } catch (OutOfRange& error) {
    error.cache = cache;
    throw;
  }
}

}  // namespace axelram::transformer
