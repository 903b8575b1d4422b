#pragma once

namespace axelram::run {

/// Overload set for std::visit. A kind without a function does not compile.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace axelram::run
