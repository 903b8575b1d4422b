#include "tiered_rows.hpp"

#include <algorithm>

#include "axelram/caches/tiered_bytes.hpp"
#include "axelram/tier_row.hpp"
#include "float_vectors.hpp"

namespace axelram::caches {
namespace {

/// Spare elements of a buffer that grows: a page.
constexpr std::size_t kPage = 4096 / sizeof(std::uint16_t);

template <class T>
void drop(std::vector<T>* values) {
  std::vector<T>().swap(*values);
}

template <class T>
std::size_t allocated_bytes(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

/// Room for `more` elements, or for `spare` where they are moved anyway; `most` in all.
void grow(std::vector<std::uint16_t>* values, std::size_t more, std::size_t spare,
          std::size_t most) {
  if (values->capacity() >= values->size() + more) return;
  values->reserve(std::min(most, values->size() + std::max(more, spare)));
}

}  // namespace

TieredRows::TieredRows(const TierHead& head) : head_(head), d_(head.d), plan_(head.settings.sizes) {
  shape_ = {d_, head.settings.group, head.settings.value_group, 0};
  if (const files::TierConstants* constants = head.source.constants())
    shape_.outliers = nuq_outlier_count(constants->outliers, d_);
  if (sizes().warm != 0) warm_ = make_tier_coder(head.settings.warm, head);
}

TierCoder* TieredRows::archive_coder(const TierStore& store) {
  for (const auto& [made, coder] : archives_)
    if (made == store) return coder.get();
  archives_.emplace_back(store, make_tier_coder(store, head_));
  return archives_.back().second.get();
}

void TieredRows::begin() {
  plan_ = TierPlan(plan_.sizes());
  tokens_ = warm_groups_ = archived_groups_ = settled_ = 0;
  drop(&sinks_);
  drop(&groups_);
}

void TieredRows::write(const float* rows, std::size_t count) {
  std::vector<std::uint16_t> halves(count * d_);
  for (std::size_t i = 0; i < count; ++i)
    if (!to_elements(rows + i * d_, d_, ElementFormat::fp16, &halves[i * d_]))
      reject(head_.site, head_.site.row_name(), tokens_ + i, rows + i * d_, d_, fits_half,
             "FP16 holds numbers up to 65504, and tiers begin in FP16; use the cache f32");
  for (std::size_t i = 0; i < count; ++i) {
    append(&halves[i * d_]);
    move(++tokens_);
  }
}

void TieredRows::append(const std::uint16_t* row) {
  const std::size_t sink = sizes().sink, step = sizes().step;
  if (tokens_ < sink) {
    if (tokens_ % kPiece == 0) sinks_.emplace_back();
    std::vector<std::uint16_t>& rows = sinks_.back();
    grow(&rows, d_, kPage, kPiece * d_);
    rows.insert(rows.end(), row, row + d_);
    return;
  }
  if ((tokens_ - sink) % step == 0) groups_.emplace_back();
  std::vector<std::uint16_t>& rows = groups_.back().rows;
  // Doubled, so that a long step is not copied page after page.
  grow(&rows, d_, std::max(kPage, rows.size()), step * d_);
  rows.insert(rows.end(), row, row + d_);
}

std::vector<std::uint8_t> TieredRows::encode(TierCoder* coder,
                                             const std::vector<std::uint16_t>& rows) const {
  const std::size_t blocks = rows.size() / d_ / coder->tokens();
  std::vector<std::uint8_t> bytes(blocks * coder->bytes());
  for (std::size_t b = 0; b < blocks; ++b)
    coder->encode(&rows[b * coder->tokens() * d_], &bytes[b * coder->bytes()]);
  return bytes;
}

void TieredRows::move(std::size_t tokens) {
  const TierBounds& bounds = plan_.advance(tokens);
  const auto moved = [this](std::size_t end) { return (end - sizes().sink) / sizes().step; };
  for (; archived_groups_ < moved(bounds.archive_end); ++archived_groups_)
    archive(&groups_[archived_groups_], tokens);
  for (; warm_groups_ < moved(bounds.warm_end); ++warm_groups_) {
    TierGroup& group = groups_[warm_groups_];
    if (group.archive_from != TierGroup::kNever) continue;
    group.warm = encode(warm_.get(), group.rows);
    group.warm_from = tokens;
  }
}

std::vector<std::uint16_t> TieredRows::recoded(const TierGroup& group) const {
  std::vector<std::uint16_t> rows(sizes().step * d_);
  std::vector<float> decoded(warm_->tokens() * d_);
  for (std::size_t t = 0, at = 0; t < sizes().step; t += warm_->tokens(), at += warm_->bytes()) {
    warm_->decode(&group.warm[at], decoded.data());
    for (std::size_t i = 0; i < warm_->tokens(); ++i)
      recoded_row_ref(&decoded[i * d_], d_, &rows[(t + i) * d_]);
  }
  return rows;
}

void TieredRows::nest(TierGroup* group) const {
  const KiviLayout layout = head_.site.value ? kivi_value_layout(4, d_, shape_.value_group)
                                             : kivi_key_layout(4, d_, shape_.group);
  const std::size_t blocks = group->warm.size() / layout.bytes();
  const std::size_t bytes = group->coder->bytes();
  group->archive.resize(blocks * bytes);
  for (std::size_t b = 0; b < blocks; ++b)
    head_.units.nest_kivi(layout, &group->warm[b * layout.bytes()], &group->archive[b * bytes]);
}

void TieredRows::archive(TierGroup* group, std::size_t tokens) {
  group->archive_from = tokens;
  const TierSettings& settings = head_.settings;
  const bool keeps =
      warm_ != nullptr && settings.archive.value_or(automatic_archive_ref(tokens)) == settings.warm;
  group->coder = keeps ? warm_.get() : archive_coder(archive_store(part(), settings, tokens));
  if (keeps) return;
  if (group->warm_from == TierGroup::kNever)
    group->archive = encode(group->coder, group->rows);
  else if (group->coder->store().format == TierFormat::kivi_nested)
    nest(group);
  else
    group->archive = encode(group->coder, recoded(*group));
}

void TieredRows::settle() {
  for (std::size_t g = settled_; g < warm_groups_; ++g) {
    TierGroup& group = groups_[g];
    drop(&group.rows);
    if (group.archive_from != TierGroup::kNever && group.coder != warm_.get()) drop(&group.warm);
  }
  settled_ = archived_groups_;
}

std::vector<TierCoder*> TieredRows::coders() const {
  std::vector<TierCoder*> all;
  if (warm_ != nullptr) all.push_back(warm_.get());
  for (const auto& [store, coder] : archives_) all.push_back(coder.get());
  return all;
}

std::vector<TierForm> TieredRows::forms(std::size_t oldest, std::size_t first,
                                        std::size_t count) const {
  std::vector<TierForm> all;
  const std::size_t least = first + 1, end = first + count + 1;  // tokens that queries see
  // Adds pieces of a form of `form.tokens` tokens, rows or blocks of `block` tokens.
  const auto add = [&](TierForm form) {
    form.from = std::max(form.from, least);
    form.until = std::min(form.until, end);
    if (form.from >= form.until) return;
    const std::size_t block = form.coder == nullptr ? 1 : form.coder->tokens();
    const std::size_t piece = std::max(kPiece / block * block, block);
    for (std::size_t t = 0; t < form.tokens; t += piece) {
      TierForm part = form;
      part.first += t;
      part.tokens = std::min(piece, form.tokens - t);
      // Of queries that see any of it.
      part.from = std::max(form.from, part.first + 1);
      if (part.first + part.tokens <= oldest || part.from >= part.until) continue;
      if (form.coder == nullptr)
        part.rows += t * d_;
      else
        part.blocks += t / block * form.coder->bytes();
      all.push_back(part);
    }
  };
  constexpr std::size_t kNever = TierGroup::kNever;
  for (std::size_t p = 0; p < sinks_.size(); ++p)
    add({p * kPiece, sinks_[p].size() / d_, p * kPiece + 1, kNever, sinks_[p].data()});
  const std::size_t sink = sizes().sink, step = sizes().step;
  for (std::size_t g = oldest > sink ? (oldest - sink) / step : 0; g < groups_.size(); ++g) {
    const TierGroup& group = groups_[g];
    const std::size_t begin = sink + g * step;
    if (begin >= first + count) break;
    const std::size_t moved = std::min(group.warm_from, group.archive_from);
    add({begin, group.rows.size() / d_, begin + 1, moved, group.rows.data()});
    add({begin, group.warm.empty() ? 0 : step, group.warm_from, group.archive_from, nullptr,
         warm_.get(), group.warm.data()});
    if (group.coder != nullptr)
      add({begin, step, group.archive_from, kNever, nullptr, group.coder,
           group.archived(warm_.get()).data()});
  }
  return all;
}

StoreBytes TieredRows::live() const {
  StoreBytes bytes;
  for (const auto& rows : sinks_) bytes.fp16.rows += rows.size() * sizeof(std::uint16_t);
  const auto coded = [this](const TierCoder& coder, std::size_t size) {
    return block_bytes_ref(part(), coder.store(), shape_) *
           (size / block_bytes_ref(part(), coder.store(), shape_).total());
  };
  for (const TierGroup& group : groups_) {
    bytes.fp16.rows += group.rows.size() * sizeof(std::uint16_t);
    const bool kept = group.coder != nullptr && group.coder == warm_.get();
    if (!group.warm.empty())
      (kept ? bytes.archive : bytes.warm) += coded(*warm_, group.warm.size());
    if (!group.archive.empty()) bytes.archive += coded(*group.coder, group.archive.size());
  }
  return bytes;
}

std::size_t TieredRows::allocated() const {
  std::size_t bytes = 0;
  for (const auto& rows : sinks_) bytes += allocated_bytes(rows);
  for (const TierGroup& group : groups_)
    bytes +=
        allocated_bytes(group.rows) + allocated_bytes(group.warm) + allocated_bytes(group.archive);
  return bytes;
}

}  // namespace axelram::caches
