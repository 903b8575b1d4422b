#include "axelram/faults/elements.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace axelram::faults {
namespace {

/// Probabilities of an element or of its first parts. usable: no word of it is detected, by the
/// error left (two entries, right and wrong, if errors are not resolved). erased: a word of it is
/// detected.
struct Probabilities {
  std::vector<double> usable{1.0};
  double erased_right = 0, erased_wrong = 0;

  double usable_right() const { return usable[0]; }
  double usable_wrong() const {
    double sum = 0;
    for (std::size_t error = 1; error < usable.size(); ++error) sum += usable[error];
    return sum;
  }
  double erased() const { return erased_right + erased_wrong; }
  double wrong() const { return usable_wrong() + erased_wrong; }
};

Probabilities at(const PartProfile& profile, double p) {
  Probabilities result;
  result.usable.clear();
  for (const WeightCounts& counts : profile.undetected) result.usable.push_back(counts.at(p));
  result.erased_right = profile.detected_right.at(p);
  result.erased_wrong = profile.detected_wrong.at(p);
  return result;
}

/// Joins two parts of an element. Every sum has positive terms only, so no digits cancel.
Probabilities joined(const Probabilities& a, const Probabilities& b, bool resolve, int shift) {
  Probabilities both;
  if (resolve) {
    both.usable.assign(b.usable.size() << shift, 0);
    for (std::size_t i = 0; i < a.usable.size(); ++i)
      for (std::size_t j = 0; j < b.usable.size(); ++j)
        both.usable[i | j << shift] = a.usable[i] * b.usable[j];
  } else {
    both.usable = {a.usable_right() * b.usable_right(),
                   a.usable_right() * b.usable_wrong() +
                       a.usable_wrong() * (b.usable_right() + b.usable_wrong())};
  }
  both.erased_right =
      a.usable_right() * b.erased_right + a.erased_right * (b.usable_right() + b.erased_right);
  both.erased_wrong = a.usable_right() * b.erased_wrong + a.usable_wrong() * b.erased() +
                      a.erased_right * b.wrong() + a.erased_wrong;
  return both;
}

/// P(an index of value `current` is erased, interpolated, and wrong). before and after are the
/// neighbours' stored values, null at an end of the sequence; the neighbours have errors too.
double interpolated_wrong(const Probabilities& c, int current, const std::uint8_t* before,
                          const std::uint8_t* after) {
  const double erased = c.erased();
  double wrong = 0;
  const auto one = [&](const std::uint8_t* value, double other_unusable) {
    for (std::size_t error = 0; error < c.usable.size(); ++error)
      if ((*value ^ static_cast<int>(error)) != current) wrong += c.usable[error] * other_unusable;
  };
  if (before != nullptr) one(before, after == nullptr ? 1 : erased);
  if (after != nullptr) one(after, before == nullptr ? 1 : erased);
  if (before != nullptr && after != nullptr) {
    for (std::size_t i = 0; i < c.usable.size(); ++i)
      for (std::size_t j = 0; j < c.usable.size(); ++j)
        if (mean_ref(*before ^ static_cast<int>(i), *after ^ static_cast<int>(j)) != current)
          wrong += c.usable[i] * c.usable[j];
  }
  const double unusable = (before == nullptr ? 1 : erased) * (after == nullptr ? 1 : erased);
  return erased * wrong + c.erased_wrong * unusable;
}

/// P(wrong) of a stored value after repair. before and after: as interpolated_wrong takes them.
double wrong_after(ErasurePolicy policy, const Probabilities& c, int zero,
                   const std::uint8_t* value, const std::uint8_t* before,
                   const std::uint8_t* after) {
  switch (policy) {
    case ErasurePolicy::keep:
      return c.wrong();
    case ErasurePolicy::zero:
      return c.usable_wrong() + (*value == zero ? 0 : c.erased());
    case ErasurePolicy::interpolate:
      return c.usable_wrong() + interpolated_wrong(c, *value, before, after);
  }
  throw std::logic_error("an erasure policy has no rate");
}

/// Mean of P(wrong) over all stored norms. i: one of `count` norms of a record.
double norm_rate_of(ErasurePolicy policy, const Probabilities& c, const StoredData& stored,
                    std::size_t i, std::size_t count) {
  if (policy == ErasurePolicy::keep || c.erased() == 0) return c.wrong();
  if (policy == ErasurePolicy::interpolate) return std::numeric_limits<double>::quiet_NaN();
  std::size_t zeros = 0;
  for (std::size_t at = i; at < stored.norms.size(); at += count) zeros += stored.norms[at] == 0;
  const double nonzero = 1 - static_cast<double>(zeros) / static_cast<double>(stored.tokens);
  return c.usable_wrong() + c.erased() * nonzero;
}

}  // namespace

ElementModel::ElementModel(const RecordCode& code) : code_(code) {
  for (const RecordField& field : code.fields()) {
    const bool norm = field.kind == RecordField::Kind::norm;
    const auto bits = static_cast<std::size_t>(field.bits);
    for (std::size_t first = field.first; first < field.end(); first += bits) {
      (norm ? norms_ : elements_).push_back(element(first, field.bits, !norm));
      if (field.kind == RecordField::Kind::residual_sign) elements_.back().repairable = false;
    }
  }
  all_elements_ = element(0, static_cast<int>(code.element_bits()), false);
}

ElementModel::Element ElementModel::element(std::size_t first, int bits, bool resolve) {
  const auto k = static_cast<std::size_t>(code_.code().k);
  const std::size_t last = first + static_cast<std::size_t>(bits);
  Element result;
  result.bits = bits;
  for (std::size_t bit = first; bit < last;) {
    const std::size_t end = std::min(last, (bit / k + 1) * k);
    result.parts.push_back(
        {profile(static_cast<int>(bit % k), static_cast<int>(end - bit), resolve),
         static_cast<int>(bit - first)});
    bit = end;
  }
  return result;
}

std::size_t ElementModel::profile(int first, int count, bool resolve) {
  const auto same = [&](const ProfileKey& key) {
    return key.first == first && key.count == count && key.resolve == resolve;
  };
  const auto found = std::find_if(keys_.begin(), keys_.end(), same);
  if (found == keys_.end()) {
    keys_.push_back({first, count, resolve});
    profiles_.push_back(part_profile(code_.code(), first, count, resolve));
    return profiles_.size() - 1;
  }
  return static_cast<std::size_t>(found - keys_.begin());
}

ElementRates ElementModel::rates(ErasurePolicy policy, const StoredData& stored, double p) const {
  std::vector<Probabilities> parts;
  for (const PartProfile& part : profiles_) parts.push_back(at(part, p));
  const auto probabilities = [&](const Element& element, bool resolve) {
    Probabilities result = parts[element.parts[0].profile];
    for (std::size_t i = 1; i < element.parts.size(); ++i)
      result = joined(result, parts[element.parts[i].profile], resolve, element.parts[i].shift);
    return result;
  };
  ElementRates rates;
  const std::size_t width = elements_.size();
  for (std::size_t i = 0; i < width; ++i) {
    const Element& element = elements_[i];
    const Probabilities c = probabilities(element, true);
    const ErasurePolicy own = element.repairable ? policy : ErasurePolicy::keep;
    for (std::size_t t = 0; t < stored.tokens; ++t) {
      const std::uint8_t* const value = &stored.values[t * width + i];
      rates.index +=
          wrong_after(own, c, 1 << (element.bits - 1), value, t == 0 ? nullptr : value - width,
                      t + 1 == stored.tokens ? nullptr : value + width);
    }
  }
  rates.index /= static_cast<double>(stored.tokens * width);
  for (std::size_t i = 0; i < norms_.size(); ++i) {
    const Probabilities c = probabilities(norms_[i], false);
    const auto share = static_cast<double>(norms_.size());
    rates.norm += norm_rate_of(policy, c, stored, i, norms_.size()) / share;
    rates.norm_bound += (c.usable_wrong() + c.erased()) / share;
  }
  const Probabilities record = probabilities(all_elements_, false);
  const bool closed = policy == ErasurePolicy::keep || record.erased() == 0;
  rates.record = closed ? record.wrong() : std::numeric_limits<double>::quiet_NaN();
  rates.record_bound = record.usable_wrong() + record.erased();
  return rates;
}

}  // namespace axelram::faults
