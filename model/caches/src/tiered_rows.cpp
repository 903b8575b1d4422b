#include "tiered_rows.hpp"

#include <algorithm>

#include "axelram/caches/tiered_bytes.hpp"
#include "axelram/tier_row.hpp"
#include "float_vectors.hpp"

namespace axelram::caches {
namespace {

/// Elements of a piece if `held` of them are held at a time: few, as the first and the last piece
/// are not full.
std::size_t together(std::size_t held, std::size_t most) {
  constexpr std::size_t kPieces = 16;
  return std::clamp<std::size_t>(held / kPieces, 1, std::max<std::size_t>(most, 1));
}

TierPieces<std::uint16_t> pieces_of_rows(std::size_t d, std::size_t held) {
  constexpr std::size_t kBytes = 2048;
  return {d, together(held, kBytes / (d * sizeof(std::uint16_t)))};
}

void copy_rows(const TierPieces<std::uint16_t>& rows, std::size_t first, std::size_t count,
               std::size_t d, std::uint16_t* to) {
  for (std::size_t i = first, some; i < first + count; i += some, to += some * d) {
    some = std::min(rows.run(i), first + count - i);
    std::copy_n(rows.at(i), some * d, to);
  }
}

}  // namespace

TieredRows::TieredRows(const TierHead& head)
    : head_(head),
      d_(head.d),
      plan_(head.settings.sizes),
      warm_(sizes().warm == 0 ? nullptr : make_tier_coder(head.settings.warm, head)),
      sinks_(pieces_of_rows(d_, sizes().sink)),
      moving_(pieces_of_rows(d_, sizes().hot + sizes().step)),
      warm_groups_(groups_of(warm_.get(), sizes().warm)) {
  shape_ = {d_, head.settings.group, head.settings.value_group, 0};
  if (const files::TierConstants* constants = head.source.constants())
    shape_.outliers = nuq_outlier_count(constants->outliers, d_);
}

TierPieces<std::uint8_t> TieredRows::groups_of(const TierCoder* coder, std::size_t tokens) const {
  constexpr std::size_t kTokens = 32;
  const std::size_t step = sizes().step;
  return {coder == nullptr ? 0 : step / coder->tokens() * coder->bytes(),
          together(tokens / step, kTokens / step)};
}

TierCoder* TieredRows::archive_coder(const TierStore& store) {
  for (const auto& [made, coder] : archives_)
    if (made == store) return coder.get();
  archives_.emplace_back(store, make_tier_coder(store, head_));
  return archives_.back().second.get();
}

void TieredRows::begin() {
  plan_ = TierPlan(plan_.sizes());
  tokens_ = settled_ = 0;
  sinks_.clear();
  moving_.clear();
  warm_groups_.clear();
  std::vector<Archive>().swap(archive_);
}

void TieredRows::write(const float* rows, std::size_t count) {
  std::vector<std::uint16_t> halves(count * d_);
  for (std::size_t i = 0; i < count; ++i)
    if (!to_elements(rows + i * d_, d_, ElementFormat::fp16, &halves[i * d_]))
      reject(head_.site, head_.site.row_name(), tokens_ + i, rows + i * d_, d_, fits_half,
             "FP16 holds numbers up to 65504, and tiers begin in FP16; use the cache f32");
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(&halves[i * d_], d_, (tokens_ < sizes().sink ? sinks_ : moving_).add());
    move(++tokens_);
  }
}

std::size_t TieredRows::archived_groups() const {
  return archive_.empty() ? 0 : archive_.back().first + archive_.back().groups.count();
}

TierGroup TieredRows::warm_group(std::size_t group) const {
  return {warm_.get(), warm_groups_.at(group)};
}

TierGroup TieredRows::archived_group(std::size_t group) const {
  const Archive* archive = &archive_.back();
  while (archive->first > group) --archive;
  return {archive->coder, archive->groups.at(group - archive->first)};
}

void TieredRows::encode(TierCoder* coder, const std::vector<std::uint16_t>& rows,
                        std::uint8_t* blocks) const {
  for (std::size_t t = 0; t < sizes().step; t += coder->tokens(), blocks += coder->bytes())
    coder->encode(&rows[t * d_], blocks);
}

void TieredRows::move(std::size_t tokens) {
  const TierBounds& bounds = plan_.advance(tokens);
  const auto moved = [this](std::size_t end) { return (end - sizes().sink) / sizes().step; };
  for (std::size_t g = archived_groups(); g < moved(bounds.archive_end); ++g) archive(g, tokens);
  for (std::size_t g = warm_groups(); warm_ != nullptr && g < moved(bounds.warm_end); ++g)
    encode(warm_.get(), written(g), warm_groups_.add());
}

std::vector<std::uint16_t> TieredRows::written(std::size_t group) const {
  const std::size_t step = sizes().step;
  std::vector<std::uint16_t> rows(step * d_);
  copy_rows(moving_, group * step, step, d_, rows.data());
  return rows;
}

std::vector<std::uint16_t> TieredRows::recoded(const std::uint8_t* warm) const {
  std::vector<std::uint16_t> rows(sizes().step * d_);
  std::vector<float> decoded(warm_->tokens() * d_);
  for (std::size_t t = 0; t < sizes().step; t += warm_->tokens(), warm += warm_->bytes()) {
    warm_->decode(warm, decoded.data());
    for (std::size_t i = 0; i < warm_->tokens(); ++i)
      recoded_row_ref(&decoded[i * d_], d_, &rows[(t + i) * d_]);
  }
  return rows;
}

void TieredRows::nest(const std::uint8_t* warm, const TierCoder& coder,
                      std::uint8_t* blocks) const {
  const KiviLayout layout = head_.site.value ? kivi_value_layout(4, d_, shape_.value_group)
                                             : kivi_key_layout(4, d_, shape_.group);
  for (std::size_t t = 0; t < sizes().step; t += coder.tokens()) {
    head_.units.nest_kivi(layout, warm, blocks);
    warm += layout.bytes();
    blocks += coder.bytes();
  }
}

void TieredRows::archive(std::size_t group, std::size_t tokens) {
  const TierSettings& settings = head_.settings;
  const bool keeps =
      warm_ != nullptr && settings.archive.value_or(automatic_archive_ref(tokens)) == settings.warm;
  TierCoder* const coder =
      keeps ? warm_.get() : archive_coder(archive_store(part(), settings, tokens));
  if (archive_.empty() || archive_.back().coder != coder)
    archive_.push_back({coder, group, groups_of(coder, kAnyTokens)});
  std::uint8_t* const blocks = archive_.back().groups.add();
  if (warm_ == nullptr) return encode(coder, written(group), blocks);
  const std::uint8_t* const warm = warm_groups_.at(group);
  if (keeps)
    std::copy_n(warm, sizes().step / coder->tokens() * coder->bytes(), blocks);
  else if (coder->store().format == TierFormat::kivi_nested)
    nest(warm, *coder, blocks);
  else
    encode(coder, recoded(warm), blocks);
}

void TieredRows::settle() {
  settled_ = tokens_;
  const auto moved = [this](std::size_t end) { return end - sizes().sink; };
  moving_.drop(moved(bounds().warm_end));
  if (warm_ != nullptr) warm_groups_.drop(moved(bounds().archive_end) / sizes().step);
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
  // Tokens that queries see.
  const std::size_t least = std::max(first + 1, settled_), end = first + count + 1;
  // Adds pieces of a form of `form.tokens` tokens, rows or blocks of `block` tokens.
  const auto add = [&](TierForm form) {
    form.from = std::max(form.from, least);
    form.until = std::min(form.until, end);
    if (form.from >= form.until) return;
    const std::size_t block = form.coded.coder == nullptr ? 1 : form.coded.coder->tokens();
    const std::size_t piece = std::max(kPiece / block * block, block);
    for (std::size_t t = 0; t < form.tokens; t += piece) {
      TierForm part = form;
      part.first += t;
      part.tokens = std::min(piece, form.tokens - t);
      // Of queries that see any of it.
      part.from = std::max(form.from, part.first + 1);
      if (part.first + part.tokens <= oldest || part.from >= part.until) continue;
      if (form.coded.coder == nullptr)
        part.row += t;
      else
        part.coded.blocks += t / block * form.coded.coder->bytes();
      all.push_back(part);
    }
  };
  constexpr std::size_t kNever = ~std::size_t{0};
  const auto [hot, warm, step, sink] = sizes();
  add({0, sinks_.count(), 1, kNever, {}, &sinks_, 0});
  for (std::size_t begin = oldest > sink ? oldest - (oldest - sink) % step : sink;
       begin < std::min(tokens_, first + count); begin += step) {
    const std::size_t group = (begin - sink) / step;
    // Tokens of the sequence when it moved, or will move.
    const std::size_t moved = begin + step + hot, archived = moved + warm;
    add({begin, std::min(step, tokens_ - begin), begin + 1, moved, {}, &moving_, begin - sink});
    if (group >= warm_groups_.first() && group < warm_groups())
      add({begin, step, moved, archived, warm_group(group)});
    if (group < archived_groups()) add({begin, step, archived, kNever, archived_group(group)});
  }
  return all;
}

StoreBytes TieredRows::live() const {
  StoreBytes bytes;
  bytes.fp16.rows = sinks_.live() + moving_.live();
  const auto coded = [this](const TierCoder& coder, const TierPieces<std::uint8_t>& groups) {
    const TierBytes block = block_bytes_ref(part(), coder.store(), shape_);
    return block * (groups.live() / block.total());
  };
  if (warm_ != nullptr) bytes.warm = coded(*warm_, warm_groups_);
  for (const Archive& archive : archive_) bytes.archive += coded(*archive.coder, archive.groups);
  return bytes;
}

std::size_t TieredRows::allocated() const {
  std::size_t bytes = sinks_.allocated() + moving_.allocated() + warm_groups_.allocated() +
                      archive_.capacity() * sizeof(Archive);
  for (const Archive& archive : archive_) bytes += archive.groups.allocated();
  return bytes;
}

}  // namespace axelram::caches
