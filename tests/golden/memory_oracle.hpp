#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <list>
#include <map>
#include <vector>

#include "axelram/half.hpp"
#include "axelram/int128.hpp"
#include "axelram/memory.hpp"

/// A memory in other words than golden's (bit-contract.md#memory): items in lists by part, which
/// carry their slot numbers, 128-bit products, gates by the sigmoid, and a Hadamard transform by
/// its matrix. It stores `records` alone.

namespace memory_oracle {

struct Item {
  int slot, gate;
  std::int64_t position, stamp, merged;
  std::vector<std::uint8_t> key, value;
  std::vector<std::uint16_t> master;
};

class Memory {
 public:
  explicit Memory(const axelram::MemoryHead& head) : head_(head), records_(head) {}

  std::array<std::int32_t, 6> take(const std::vector<std::uint16_t>& key,
                                   const std::vector<std::uint16_t>& value, double z) {
    std::array<std::int32_t, 6> event = {0, -1, -1, 0, -1, -1};
    const axelram::MemoryParameters& m = head_.memory;
    if (static_cast<int>(window_.size()) == m.window) {
      Item e = window_.front();
      window_.pop_front();
      event[1] = e.slot;
      std::vector<Item> leavers;
      if (e.position < m.sinks) {
        event[0] = 7;
        sinks_.push_back(e);
      } else if (m.exact == m.sinks) {
        event[0] = 8;
        leavers = {e};
      } else if (e.gate < m.gate_exact) {
        event[0] = 1;
        leavers = {e};
      } else {
        leavers = offer(e, &event);
      }
      for (const Item& y : leavers) summarise(y, &event);
    }
    event[5] = 0;
    while (taken(event[5])) ++event[5];
    window_.push_back(
        {event[5], code(z), time_, time_, 1, store(false, key), store(true, value), {}});
    ++time_;
    return event;
  }

  axelram::MemoryState state() {
    const std::size_t bytes = records_.stored_bytes();
    const auto d = static_cast<std::size_t>(head_.parameters.head_dim);
    axelram::MemoryState mine = axelram::empty_memory(records_);
    mine.tokens = time_;
    const auto copy = [&](const std::list<Item>& items, axelram::SlotLabel label) {
      for (const Item& item : items) {
        const auto s = static_cast<std::size_t>(item.slot);
        mine.labels[s] = label;
        mine.gates[s] = static_cast<std::uint8_t>(item.gate);
        mine.positions[s] = static_cast<std::int32_t>(item.position);
        mine.stamps[s] = static_cast<std::int32_t>(item.stamp);
        mine.merged[s] = static_cast<std::int32_t>(item.merged);
        std::copy(item.key.begin(), item.key.end(), &mine.key_records[s * bytes]);
        std::copy(item.value.begin(), item.value.end(), &mine.value_records[s * bytes]);
        if (label == axelram::SlotLabel::summary)
          std::copy(item.master.begin(), item.master.end(), &mine.masters[s * d]);
      }
    };
    copy(window_, axelram::SlotLabel::window);
    copy(sinks_, axelram::SlotLabel::sink);
    copy(exact_, axelram::SlotLabel::exact);
    copy(summaries_, axelram::SlotLabel::summary);
    return mine;
  }

 private:
  using Items = std::list<Item>;

  /// RNE(255 * sigmoid(z)); a logit of the tests lies on no tie of it.
  static int code(double z) { return static_cast<int>(std::nearbyint(255 / (1 + std::exp(-z)))); }

  std::vector<std::uint8_t> store(bool values, const std::vector<std::uint16_t>& row) {
    std::vector<std::uint8_t> stored(records_.stored_bytes());
    records_.write(values, row.data(), 0, stored.data());
    return stored;
  }

  bool taken(int slot) const {
    for (const Items* items : {&window_, &sinks_, &exact_, &summaries_})
      for (const Item& item : *items)
        if (item.slot == slot) return true;
    return false;
  }

  int norm_bits(const Item& item) const {
    return (item.value[item.value.size() - 2] | item.value[item.value.size() - 1] << 8) & 0x7FFF;
  }

  std::vector<int> words(const Item& item) const {
    const int b = head_.parameters.index_bits;
    std::vector<int> c;
    for (int i = 0; i < head_.parameters.head_dim; ++i) {
      int index = 0;
      for (int bit = 0; bit < b; ++bit) {
        const int at = i * b + bit;
        index |= (item.value[static_cast<std::size_t>(at / 8)] >> at % 8 & 1) << bit;
      }
      c.push_back(head_.rom->centroids[static_cast<std::size_t>(index)]);
    }
    return c;
  }

  std::int64_t product(const Item& a, const Item& b) const {
    if (norm_bits(a) == 0 || norm_bits(b) == 0) return 0;
    const std::vector<int> x = words(a), y = words(b);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
  }

  std::int64_t length(const Item& a) const {
    std::int64_t q = 0;
    for (const int c : words(a)) q += c * c;
    return std::llround(std::sqrt(static_cast<long double>(q) * 65536));
  }

  bool reaches(const Item& a, const Item& b, std::uint32_t threshold) const {
    return axelram::Int128{product(a, b)} << 32 >=
           axelram::Int128{threshold} * length(a) * length(b);
  }

  /// The item of largest cosine, compared as exact products, then of lowest slot.
  Items::iterator nearest(Items* items, const Item& to) {
    return std::min_element(items->begin(), items->end(), [&](const Item& a, const Item& b) {
      const auto of_a = axelram::Int128{product(a, to)} * length(b),
                 of_b = axelram::Int128{product(b, to)} * length(a);
      return of_a != of_b ? of_a > of_b : a.slot < b.slot;
    });
  }

  std::vector<Item> offer(Item e, std::array<std::int32_t, 6>* event) {
    const axelram::MemoryParameters& m = head_.memory;
    const auto n = nearest(&exact_, e);
    const bool novel = n == exact_.end() || !reaches(*n, e, m.novel);
    if (n != exact_.end()) (*event)[2] = n->slot;
    if (!novel) {
      (*event)[0] = reaches(*n, e, m.match) ? 2 : 3;
      if ((*event)[0] == 2) n->stamp = e.position;
      return {e};
    }
    const bool gates = m.evict == axelram::EvictKind::gate;
    std::vector<Item> leaver;
    (*event)[0] = 4;
    if (static_cast<int>(exact_.size()) == m.exact - m.sinks) {
      std::map<std::array<std::int64_t, 3>, Items::iterator> order;
      for (auto item = exact_.begin(); item != exact_.end(); ++item)
        order[{gates ? item->gate : 0, item->stamp, item->slot}] = item;
      const auto x = order.begin()->second;
      (*event)[2] = x->slot;
      (*event)[0] = 6;
      if (gates && e.gate < x->gate) return {e};
      (*event)[0] = 5;
      leaver = {*x};
      exact_.erase(x);
    }
    e.stamp = e.position;
    exact_.push_back(e);
    return leaver;
  }

  std::vector<float> row(const Item& item) const {
    const std::vector<int> c = words(item);
    const int bits = norm_bits(item), field = bits >> 10;
    const int significand = field == 0 ? bits : 1024 + (bits & 1023);
    const double scale = static_cast<float>(head_.rom->score_scale);
    std::vector<float> x;
    for (unsigned i = 0; i < c.size(); ++i) {
      int sum = 0;
      for (unsigned j = 0; j < c.size(); ++j) sum += std::popcount(i & j) % 2 == 0 ? c[j] : -c[j];
      x.push_back(static_cast<float>(
          std::ldexp(scale * (head_.signs[i] * sum * significand), field == 0 ? -24 : field - 25)));
    }
    return x;
  }

  void summarise(Item y, std::array<std::int32_t, 6>* event) {
    const axelram::MemoryParameters& m = head_.memory;
    (*event)[3] = 1;
    if (m.summary == 0 || y.gate < m.gate_summary) return;
    const std::vector<float> v = row(y);
    const auto s = nearest(&summaries_, y);
    const bool room = static_cast<int>(summaries_.size()) < m.summary;
    if (s == summaries_.end() || (room && !reaches(*s, y, m.novel))) {
      for (const float x : v) y.master.push_back(axelram::saturated_half(x));
      (*event)[3] = 2;
      (*event)[4] = y.slot;
      summaries_.push_back(y);
      return;
    }
    const auto eta = static_cast<float>(m.blend * y.gate / 65025.0);
    std::vector<std::uint16_t> master;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto before = static_cast<float>(axelram::half_to_double(s->master[i]));
      volatile float change = v[i] - before;
      change = eta * change;
      change = before + change;
      master.push_back(axelram::saturated_half(change));
    }
    Item kept = y.position > s->position ? y : *s;
    kept.merged = s->merged + 1;
    kept.master = master;
    kept.value = store(true, master);
    summaries_.erase(s);
    summaries_.push_back(kept);
    (*event)[3] = 3;
    (*event)[4] = kept.slot;
  }

  axelram::MemoryHead head_;
  axelram::MemoryRecords records_;
  Items window_, sinks_, exact_, summaries_;
  std::int64_t time_ = 0;
};

}  // namespace memory_oracle
