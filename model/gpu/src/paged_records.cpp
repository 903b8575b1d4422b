#include "paged_records.hpp"

#include <algorithm>

#include "axelram/caches/cache_site.hpp"
#include "axelram/fault.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/kernels/layers.hpp"
#include "axelram/kernels/queries.hpp"
#include "axelram/kernels/store.hpp"
#include "axelram/kernels/write.hpp"

namespace axelram::gpu {
namespace {

kernels::Pages pages_of(bool values, const HeadLayout& heads, const Parameters& p,
                        const kernels::MacroConstants& constants) {
  if (p.split() && p.head_dim == 32)
    throw files::InputError(
        "--engine cuda: a split of 32 channels has no cache on a GPU; use --engine fast");
  kernels::Pages pages;
  pages.kind = kernels::RowKind::records;
  pages.values = values;
  pages.heads = heads.shape.heads;
  pages.head_dim = p.head_dim;
  pages.index_bits = constants.index_bits;
  pages.second_bits = constants.second.index_bits;
  pages.split = constants.split;
  pages.page_tokens = kPageTokens;
  pages.head_bytes = kernels::record_head_bytes(pages);
  return pages;
}

/// Rows of every layer and head, one after the other.
template <class T, class Row>
std::vector<T> rows_of(const caches::Shape& shape, const Row& row) {
  std::vector<T> all;
  for (int layer = 0; layer < shape.layers; ++layer)
    for (int head = 0; head < shape.heads; ++head) {
      const std::vector<T> one = row(layer, head);
      all.insert(all.end(), one.begin(), one.end());
    }
  return all;
}

}  // namespace

PagedRecords::PagedRecords(const caches::Axelram& store, bool values, const HeadLayout& heads,
                           const Capacity& capacity, Scratch* scratch, Memory* memory,
                           kernels::Stream* stream)
    : PagedRows({}), setup_(store, heads.shape), heads_(heads), scratch_(scratch) {
  if (setup_.attends()) {
    setup_.check_tokens(capacity.max_len);
    attention_ = kernels::attention_constants(setup_.attention(), *setup_.rom());
  }
  const Parameters p = setup_.parameters(values);
  constants_ = kernels::macro_constants(p, *setup_.rom());
  pages_ = pages_of(values, heads, p, constants_);
  const std::size_t d = heads.d(), rows = capacity.chunk_rows * heads.kv();
  signs_ = memory->take<std::int8_t>(static_cast<std::size_t>(heads.shape.layers) * heads.kv() * d);
  if (p.prod()) residual_signs_ = memory->take<std::int8_t>(signs_.size());
  if (p.split()) channels_ = memory->take<std::uint16_t>(signs_.size());
  if (p.balanced) balance_ = memory->take<std::int8_t>(signs_.size());
  if (p.centered) center_ = memory->take<std::uint16_t>(signs_.size());
  scratch->need(Scratch::elements, 2 * rows * d);
  scratch->need(Scratch::records, rows * static_cast<std::size_t>(constants_.record_bytes()));
  if (!values) {
    scratch->need(Scratch::queries, 2 * rows * heads.group * d);
    const std::size_t rounded = (p.query_bits <= 8 ? 1 : 4) * rows * heads.group * d;
    scratch->need(Scratch::rounded, rounded);
    scratch->need(Scratch::exponents, 4 * rows * heads.group);
    if (p.prod()) {
      scratch->need(Scratch::rotated_again, rounded);
      scratch->need(Scratch::residual_exponents, 4 * rows * heads.group);
    }
  }
  if (fault_threshold(setup_.faults().ber) != 0)
    faults_.emplace(setup_, values, heads, capacity, scratch, memory, stream);
  if (p.copies() > 0 && !(values && attention_)) take_exact(p, capacity, scratch, memory);
  if (!values && setup_.encodes()) feedback_.emplace(setup_, heads, memory, stream);
  if (memory->plans()) return;
  signs_.upload(*stream, rows_of<std::int8_t>(heads.shape, [&](int layer, int head) {
    return setup_.signs(layer, head);
  }));
  if (p.prod())
    residual_signs_.upload(*stream, rows_of<std::int8_t>(heads.shape, [&](int layer, int head) {
      return setup_.rotation(layer, head).residual_signs;
    }));
  if (p.split())
    channels_.upload(*stream, rows_of<std::uint16_t>(heads.shape, [&](int layer, int head) {
      return channel_order(setup_.rotation(layer, head).high_channels, p.head_dim);
    }));
  if (p.balanced)
    balance_.upload(*stream, rows_of<std::int8_t>(heads.shape, [&](int layer, int head) {
      return setup_.rotation(layer, head).balance;
    }));
  if (p.centered)
    center_.upload(*stream, rows_of<std::uint16_t>(heads.shape, [&](int layer, int head) {
      return setup_.center(layer, head);
    }));
}

kernels::KeyRotations PagedRecords::rotations(int layer) const {
  const std::size_t first = static_cast<std::size_t>(layer) * heads_.kv() * heads_.d();
  kernels::KeyRotations of_layer = signs_.data() + first;
  if (constants_.prod) of_layer.residual_signs = residual_signs_.data() + first;
  if (constants_.split) of_layer.channels = channels_.data() + first;
  if (constants_.balanced) of_layer.balance = balance_.data() + first;
  return of_layer;
}

const char* PagedRecords::advice() const { return caches::element_advice(format()); }

void PagedRecords::begin(kernels::Stream& stream) {
  if (faults_) faults_->begin(stream);
}

void PagedRecords::take_exact(const Parameters& p, const Capacity& capacity, Scratch* scratch,
                              Memory* memory) {
  const std::size_t kept = static_cast<std::size_t>(p.exact_last), rows = capacity.chunk_rows;
  // Room for a chunk and for what its first query sees.
  const std::size_t ring = kept == 0 ? 0 : std::max(kept, std::min(capacity.max_len, kept + rows));
  exact_ = {heads_.shape.heads, p.head_dim, p.exact_first, p.exact_last,
            static_cast<std::int32_t>(ring)};
  const std::size_t slots =
      capacity.sequences * heads_.kv() * (static_cast<std::size_t>(p.exact_first) + ring);
  exact_elements_ = memory->take<std::uint16_t>(slots * heads_.d());
  exact_.elements = exact_elements_.data();
  if (pages_.values) return;
  exact_exponents_ = memory->take<std::int32_t>(slots);
  exact_.exponents = exact_exponents_.data();
  scratch->need(Scratch::copies, 2 * rows * heads_.kv() * heads_.d());
  scratch->need(Scratch::copy_exponents, 4 * rows * heads_.kv());
}

void PagedRecords::encode(kernels::Stream& stream, const Chunk& chunk) {
  const std::size_t heads = heads_.kv(), d = heads_.d();
  const auto* const elements = scratch_->at<std::uint16_t>(Scratch::elements);
  kernels::WrittenRows written;
  written.records = scratch_->at(Scratch::records);
  if (exact_.any() && !pages_.values) {
    written.copies = scratch_->at<std::int16_t>(Scratch::copies);
    written.copy_exponents = scratch_->at<std::int32_t>(Scratch::copy_exponents);
  }
  const std::uint16_t* const center =
      constants_.centered ? center_.data() + static_cast<std::size_t>(chunk.layer) * heads * d
                          : nullptr;
  const auto keys = kernels::ElementRows::dense(elements, chunk.count, heads, d);
  if (feedback_ && feedback_->any(chunk.layer))
    kernels::write_keys_with_feedback(stream, constants_, feedback_->heads(chunk.layer), keys,
                                      rotations(chunk.layer), center, written);
  else
    kernels::write_keys(stream, constants_, keys, rotations(chunk.layer), center, written);
}

void PagedRecords::keep_exact(kernels::Stream& stream, const Chunk& chunk) {
  const kernels::TokenPositions places = chunk.batch->places(chunk.first, chunk.count);
  if (pages_.values)
    kernels::keep_exact(stream, exact_, places, scratch_->at<std::uint16_t>(Scratch::elements),
                        nullptr);
  else
    kernels::keep_exact(stream, exact_, places, scratch_->at<std::uint16_t>(Scratch::copies),
                        scratch_->at<std::int32_t>(Scratch::copy_exponents));
}

void PagedRecords::write(kernels::Stream& stream, const Chunk& chunk, const float* rows) {
  kernels::to_elements(stream, rows, chunk.count, heads_.kv(), heads_.d(), format(),
                       scratch_->at<std::uint16_t>(Scratch::elements), heads_.d(), chunk.first,
                       chunk.row_out_of_range);
  encode(stream, chunk);
  if (exact_.any()) keep_exact(stream, chunk);
  if (faults_) return faults_->store(stream, chunk, pages_);
  kernels::store_rows(stream, pages_, chunk.batch->table(),
                      chunk.batch->places(chunk.first, chunk.count), scratch_->at(Scratch::records),
                      static_cast<std::size_t>(constants_.record_bytes()));
}

void PagedRecords::write_as_last(kernels::Stream& stream, const Chunk& chunk,
                                 const kernels::BlockTable& table,
                                 const kernels::TokenPositions& places) {
  faults_->store_as_last(stream, chunk, pages_, table, places);
}

kernels::AttentionQueries PagedRecords::round(kernels::Stream& stream, const Chunk& chunk,
                                              const float* queries) {
  const std::size_t heads = heads_.kv() * heads_.group, d = heads_.d();
  auto* const elements = scratch_->at<std::uint16_t>(Scratch::queries);
  kernels::to_elements(stream, queries, chunk.count, heads, d, format(), elements, d, chunk.first,
                       chunk.query_out_of_range);
  kernels::RoundedQueries rounded;
  if (constants_.query_bits <= 8)
    rounded.u8 = scratch_->at<std::int8_t>(Scratch::rounded);
  else
    rounded.u = scratch_->at<std::int32_t>(Scratch::rounded);
  rounded.exponents = scratch_->at<std::int32_t>(Scratch::exponents);
  if (constants_.prod) {
    if (constants_.query_bits <= 8)
      rounded.v8 = scratch_->at<std::int8_t>(Scratch::rotated_again);
    else
      rounded.v = scratch_->at<std::int32_t>(Scratch::rotated_again);
    rounded.residual_exponents = scratch_->at<std::int32_t>(Scratch::residual_exponents);
  }
  kernels::round_queries(
      stream, constants_, kernels::ElementRows::dense(elements, chunk.count, heads, d),
      static_cast<std::int32_t>(heads_.group), rotations(chunk.layer), rounded, nullptr);
  kernels::AttentionQueries result;
  result.u8 = rounded.u8;
  result.u = rounded.u;
  result.exponents = rounded.exponents;
  result.v8 = rounded.v8;
  result.v = rounded.v;
  result.residual_exponents = rounded.residual_exponents;
  return result;
}

void PagedRecords::describe(int layer, kernels::AttentionCache* cache) const {
  if (!pages_.values) {
    cache->keys = pages_;
    cache->key_constants = constants_;
    cache->exact_keys = exact_;
    return;
  }
  cache->values = pages_;
  cache->value_constants = constants_;
  cache->exact_values = exact_;
  cache->value_rotations = rotations(layer);
}

transformer::MemoryEvents PagedRecords::events(kernels::Stream& stream, std::size_t rows) {
  transformer::MemoryEvents events;
  if (faults_) events = faults_->events(stream);
  const auto bits = static_cast<std::uint64_t>(setup_.parameters(false).record_bits());
  const std::uint64_t all = rows * static_cast<std::uint64_t>(heads_.shape.layers) * heads_.kv();
  events.stored_bits = all * bits;
  if (setup_.code() == "none") return events;
  const Code code = make_code(setup_.code());
  events.words = all * code.words(bits);
  events.stored_bits = events.words * static_cast<std::uint64_t>(code.n);
  return events;
}

}  // namespace axelram::gpu
