#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "axelram/files/errors.hpp"
#include "axelram/weights/load.hpp"

namespace axelram::gguf {

/// A position in the file. Every read is checked against the end.
class Cursor {
 public:
  Cursor(const std::uint8_t* data, std::size_t size, const std::string& origin)
      : data_(data), size_(size), origin_(origin) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return size_ - position_; }
  const std::uint8_t* here() const { return data_ + position_; }

  /// `what` names what is read, in messages.
  template <class T>
  T number(const char* what) {
    return weights::load<T>(skip(sizeof(T), what));
  }

  std::string_view text(const char* what) {
    const auto length = number<std::uint64_t>(what);
    return {reinterpret_cast<const char*>(skip(length, what)), static_cast<std::size_t>(length)};
  }

  const std::uint8_t* skip(std::uint64_t bytes, const char* what) {
    if (bytes > left())
      throw files::InputError(origin_ + ": " + what + " at byte " + std::to_string(position_) +
                              ": " + std::to_string(bytes) + " bytes, but " +
                              std::to_string(left()) + " are left; was the file cut off?");
    const std::uint8_t* const place = here();
    position_ += static_cast<std::size_t>(bytes);
    return place;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, position_ = 0;
  const std::string& origin_;
};

}  // namespace axelram::gguf
