#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace axelram::caches {

/// Elements of `size` T each, in order, of which the oldest go first. They lie in pieces of
/// `together` elements: none is copied, and a piece whose elements are all gone is freed.
template <class T>
class TierPieces {
 public:
  TierPieces(std::size_t size, std::size_t together) : size_(size), together_(together) {}

  void clear() { *this = TierPieces(size_, together_); }

  /// Elements that came, the dropped ones among them.
  std::size_t count() const { return count_; }
  /// The first element that stays.
  std::size_t first() const { return first_; }
  /// Elements from i on that lie one behind another.
  std::size_t run(std::size_t i) const {
    return std::min(count_, i + together_ - i % together_) - i;
  }
  const T* at(std::size_t i) const {
    return &pieces_[i / together_ - freed_][i % together_ * size_];
  }

  /// Appends an element, which the caller writes.
  T* add() {
    if (count_ % together_ == 0)
      pieces_.push_back(std::make_unique_for_overwrite<T[]>(together_ * size_));
    return &pieces_.back()[count_++ % together_ * size_];
  }

  /// Drops elements before `end`, which is at most count().
  void drop(std::size_t end) {
    if (end <= first_) return;
    first_ = end;
    const std::size_t gone = end / together_ - freed_;
    if (gone == 0) return;
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(gone));
    freed_ += gone;
    if (pieces_.capacity() > 2 * pieces_.size() + kSpare) pieces_.shrink_to_fit();
  }

  /// Bytes of the elements that stay.
  std::size_t live() const { return (count_ - first_) * size_ * sizeof(T); }
  /// Bytes of the pieces and of their table.
  std::size_t allocated() const {
    return pieces_.size() * together_ * size_ * sizeof(T) +
           pieces_.capacity() * sizeof(pieces_.front());
  }

 private:
  static constexpr std::size_t kSpare = 8;  ///< pointers

  std::size_t size_, together_;
  std::size_t count_ = 0, first_ = 0, freed_ = 0;  ///< freed_: pieces
  std::vector<std::unique_ptr<T[]>> pieces_;
};

}  // namespace axelram::caches
