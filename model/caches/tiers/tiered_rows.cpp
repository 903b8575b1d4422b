#include "tiers/tiered_rows.hpp"

#include <algorithm>

#include "axelram/caches/tiered_bytes.hpp"
#include "axelram/tier_row.hpp"
#include "rows/float_vectors.hpp"

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

/// recoded_row_ref.
void recode(const float* decoded, std::size_t d, std::uint16_t* row) {
  if (!to_elements(decoded, d, ElementFormat::fp16, row)) return recoded_row_ref(decoded, d, row);
  constexpr std::uint16_t kMinusZero = 0x8000;
  for (std::size_t i = 0; i < d; ++i) row[i] = row[i] == kMinusZero ? 0 : row[i];
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
      recode(&decoded[i * d_], d_, &rows[(t + i) * d_]);
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

TokenRange TierForm::seen(std::size_t query) const {
  const std::size_t n = query + 1;
  const std::size_t gone = n < until ? 0 : (n - until) / group + 1;
  const std::size_t there = n < from ? 0 : (n - from) / group + 1;
  return {first + gone * group, first + std::min({tokens, there * group, n - first})};
}

std::vector<TierForm> TieredRows::forms(std::size_t oldest, std::size_t first,
                                        std::size_t count) const {
  std::vector<TierForm> all;
  const std::size_t end = first + count;
  first = std::max(first, std::max<std::size_t>(settled_, 1) - 1);
  // Adds what queries see of a form, which has `block` tokens in a block.
  const auto add = [&](TierForm form, std::size_t block) {
    const std::size_t piece =
        form.group < form.tokens ? form.tokens : std::max(kPiece / block * block, block);
    for (std::size_t t = 0; t < form.tokens; t += piece) {
      TierForm part = form;
      part.first += t;
      part.tokens = std::min(piece, form.tokens - t);
      const std::size_t groups = (part.tokens - 1) / part.group;
      const std::size_t until =
          part.until == kNever ? end : std::min(end, part.until - 1 + groups * part.group);
      part.first_query = std::max({first, part.from - 1, part.first});
      if (part.first + part.tokens <= oldest || part.first_query >= until) continue;
      part.queries = until - part.first_query;
      if (part.coded.coder == nullptr)
        part.row += t;
      else
        part.coded.blocks += t / block * part.coded.coder->bytes();
      all.push_back(part);
    }
  };
  const std::size_t warm = sizes().warm, step = sizes().step, sink = sizes().sink;
  const std::size_t some = std::max<std::size_t>(kPiece / step, 1);
  const std::size_t oldest_group = oldest > sink ? (oldest - sink) / step : 0;
  // Tokens of the sequence when a group moved, or will move.
  const auto moved = [&](std::size_t group) { return sink + (group + 1) * step + sizes().hot; };
  add({0, sinks_.count(), 1, kNever, kNever, {}, &sinks_, 0}, 1);
  for (const Archive& archive : archive_)
    for (std::size_t i = std::max(oldest_group, archive.first) - archive.first, run;
         i < archive.groups.count(); i += run) {
      const std::size_t group = archive.first + i;
      run = std::min(archive.groups.run(i), some);
      add({sink + group * step,
           run * step,
           moved(group) + warm,
           kNever,
           step,
           {archive.coder, archive.groups.at(i)}},
          archive.coder->tokens());
    }
  for (std::size_t group = std::max(oldest_group, warm_groups_.first()), run; group < warm_groups();
       group += run) {
    run = warm < step ? 1 : std::min(warm_groups_.run(group), some);
    add({sink + group * step, run * step, moved(group), moved(group) + warm, step,
         warm_group(group)},
        warm_->tokens());
  }
  // FP32 sums of the rows of a group are those of a product of matrices, or of one row.
  const std::size_t together = step == 1 ? some : 1;
  for (std::size_t row = std::max(oldest_group * step, moving_.first()), rows;
       row < moving_.count() && sink + row < end; row += rows) {
    rows = std::min(together * step, moving_.count() - row);
    add({sink + row, rows, sink + row + 1, moved(row / step), step, {}, &moving_, row}, 1);
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
