#include <string>
#include <utility>

#include "axelram/files/errors.hpp"
#include "causal.hpp"
#include "int4_memory.hpp"
#include "kind.hpp"

namespace axelram::caches {
namespace {

/// A key or a value store on an Int4Memory.
template <class Interface>
class Int4Store : public Interface {
 public:
  Int4Store(const Int4Family& family, const Place& place)
      : d_(family.layout.d), memory_(family, place), products_(d_) {}

  void begin(std::uint32_t sequence) override { memory_.begin(sequence); }
  void write(const float* rows, std::size_t count) override { memory_.write(rows, count); }
  void inject(double p, std::uint64_t seed) override { memory_.inject(p, seed); }
  transformer::MemoryEvents events() const override { return memory_.events(); }
  double bytes_per_token() const override { return memory_.bytes_per_row(); }

 protected:
  std::size_t d_;
  Int4Memory memory_;
  CausalProducts products_;
};

class Int4Keys : public Int4Store<transformer::KeyCache> {
 public:
  using Int4Store::Int4Store;
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t stride,
             float* scores) override {
    products_.score(memory_.data(), queries, count, first, stride, scores);
    for (std::size_t i = 0; i < count; ++i)
      if (const float* const last = memory_.as_last(first + i))
        scores[i * stride + first + i] = products_.dot(queries + i * d_, last);
  }
};

class Int4Values : public Int4Store<transformer::ValueCache> {
 public:
  using Int4Store::Int4Store;
  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t stride,
                    float* out) override {
    products_.weighted_sum(memory_.data(), weights, count, first, stride, out);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t token = first + i;
      const float* const last = memory_.as_last(token);
      if (last == nullptr) continue;
      const float weight = weights[i * stride + token];
      const float* const row = memory_.data() + token * d_;
      for (std::size_t j = 0; j < d_; ++j) out[i * d_ + j] += weight * (last[j] - row[j]);
    }
  }
};

class Int4Cache : public transformer::KvCache {
 public:
  explicit Int4Cache(Int4Family family) : family_(std::move(family)) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return std::make_unique<Int4Keys>(family_, Place{layer, head, false});
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return std::make_unique<Int4Values>(family_, Place{layer, head, true});
  }

 private:
  Int4Family family_;
};

SharedCache make_int4_cache(const Int4& store, const Shape& shape, const UnitTable& units) {
  const int d = shape.head_dim, group = store.group == 0 ? d : store.group;
  if (d % 2 != 0)
    throw files::InputError("the cache int4 stores two values a byte; the model's head_dim " +
                            std::to_string(d) + " must be even");
  if (d % group != 0)
    throw files::InputError("the cache int4 has group=" + std::to_string(group) +
                            "; it must divide the model's head_dim " + std::to_string(d));
  const Int4Layout layout{store.mode, static_cast<std::size_t>(d), static_cast<std::size_t>(group)};
  auto code = std::make_shared<const RowCode>(store.code, layout.d * 4, units);
  return std::make_shared<Int4Cache>(Int4Family{store, layout, units, std::move(code)});
}

bool reseed_int4(Int4* row, std::uint64_t seed) { return reseed_faults(&row->faults, seed); }

std::optional<std::string> wrong_code(const std::string& name) {
  if (name == "none") return std::nullopt;
  try {
    make_code(name);
    return std::nullopt;
  } catch (const std::invalid_argument& error) {
    std::vector<std::string> known = {"none"};
    for (const std::string& family : code_family_names()) known.push_back(family);
    return ", " + files::printable(error.what()) + "; it must be " + files::any_of(known);
  }
}

}  // namespace

const Kind<Int4>& Int4::kind() {
  static const Kind<Int4> kind{
      "INT4 with one scale per group of neighbouring values",
      with_faults<Int4>(
          {choice_key<Int4, Int4Mode>(
               "mode", "levels of a group", [](auto& row) -> auto& { return row.mode; }),
           number_key<Int4, int>(
               {"group", "N", "head_dim", "values that share a scale"},
               [](auto& row) -> auto& { return row.group; }, 1, 1 << 20,
               "a whole number of neighbouring values, such as 32"),
           text_key<Int4>(
               {"code", "NAME", "none", "code of the rows (axelram list codes)"},
               [](auto& row) -> auto& { return row.code; }, wrong_code),
           choice_key<Int4, ErasurePolicy>(
               "erasure", "values in an uncorrectable word become",
               [](auto& row) -> auto& { return row.erasure; })}),
      make_int4_cache, reseed_int4};
  return kind;
}

}  // namespace axelram::caches
