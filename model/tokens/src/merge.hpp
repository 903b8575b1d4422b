#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

namespace axelram::tokens {

/// Result of merging two neighbours, and its priority: the smallest key first.
template <class Key>
struct Merge {
  Key key;
  std::int32_t id;
};

/// Byte-pair encoding (Sennrich et al., 2016): as long as neighbours of `ids` can be merged, those
/// with the smallest key are, the first of equals. `find(left, right)` returns the merge of two
/// ids. The same result as searching the whole list for each merge, in O(n log n): a queue holds
/// every pair of neighbours that ever existed, and pairs that no longer exist are skipped.
template <class Key, class Find>
void merge_neighbours(std::vector<std::int32_t>& ids, const Find& find) {
  struct Link {
    std::size_t previous, next;
  };
  struct Pair {
    Key key;
    std::size_t position;  ///< of the left id; order in the list, as links never move
    std::int32_t left, right, merged;
    bool operator<(const Pair& other) const {  // the queue's top is its largest element
      return other.key < key || (!(key < other.key) && other.position < position);
    }
  };
  constexpr std::int32_t gone = -1;
  const std::size_t end = ids.size();
  if (end < 2) return;

  std::vector<Link> links(end);
  std::vector<Pair> pairs;
  const auto pair_at = [&](std::size_t i) -> std::optional<Pair> {
    const std::size_t j = links[i].next;
    if (j == end) return std::nullopt;
    const std::optional<Merge<Key>> merge = find(ids[i], ids[j]);
    if (!merge) return std::nullopt;
    return Pair{merge->key, i, ids[i], ids[j], merge->id};
  };
  for (std::size_t i = 0; i < end; ++i) links[i] = {i - 1, i + 1};
  for (std::size_t i = 0; i + 1 < end; ++i)
    if (const auto pair = pair_at(i)) pairs.push_back(*pair);

  std::priority_queue<Pair> queue({}, std::move(pairs));
  while (!queue.empty()) {
    const Pair pair = queue.top();
    queue.pop();
    const std::size_t i = pair.position;
    const std::size_t j = links[i].next;
    if (ids[i] != pair.left || j == end || ids[j] != pair.right) continue;
    ids[i] = pair.merged;
    ids[j] = gone;
    links[i].next = links[j].next;
    if (links[i].next != end) links[links[i].next].previous = i;
    if (i != 0)
      if (const auto left = pair_at(links[i].previous)) queue.push(*left);
    if (const auto right = pair_at(i)) queue.push(*right);
  }

  std::size_t count = 0;
  for (std::size_t i = 0; i != end; i = links[i].next) ids[count++] = ids[i];
  ids.resize(count);
}

}  // namespace axelram::tokens
