#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/gguf/gguf.hpp"

namespace axelram::gguf {

/// Bytes of a value; 0 for texts and lists, whose size differs.
constexpr std::size_t size_of(ValueType type) {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean:
      return 1;
    case ValueType::u16:
    case ValueType::i16:
      return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32:
      return 4;
    case ValueType::u64:
    case ValueType::i64:
    case ValueType::f64:
      return 8;
    case ValueType::text:
    case ValueType::list:
      break;
  }
  return 0;
}

}  // namespace axelram::gguf
