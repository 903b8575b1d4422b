#include "paged_cache.hpp"

#include "axelram/datapath.hpp"
#include "axelram/files/places.hpp"
#include "axelram/kernels/store.hpp"
#include "axelram/signs.hpp"
#include "check.hpp"
#include "moments.hpp"
#include "records.hpp"

using namespace axelram;
using test::Macro;

namespace {

constexpr std::size_t kHeads = 2, kGroup = 2;

/// Keys, values and queries of some sequences, [rows, heads, d], the same for CPU and device.
struct Inputs {
  std::size_t d;
  std::vector<std::size_t> lengths;
  std::vector<float> keys, values, queries;

  Inputs(std::size_t of_d, std::vector<std::size_t> of, unsigned seed)
      : d(of_d), lengths(std::move(of)) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (std::vector<float>* const all : {&keys, &values, &queries}) {
      all->resize(rows() * kHeads * (all == &queries ? kGroup : 1) * d);
      for (float& x : *all) x = normal(random);
    }
    // Tensor cores take queries of FP16 keys as FP16.
    for (float& x : queries) x = static_cast<float>(half_to_double(double_to_half(2 * x)));
  }
  std::size_t rows() const {
    std::size_t sum = 0;
    for (const std::size_t length : lengths) sum += length;
    return sum;
  }
};

struct OnDevice {
  std::vector<float> attended;        ///< [rows, heads * group, d]
  std::vector<std::uint8_t> records;  ///< [rows, heads, record_bytes] of keys, if they are records
};

OnDevice attend_on_device(const std::string& specification, const Inputs& in, std::size_t chunk,
                          int layers = 1, int layer = 0) {
  const int d = static_cast<int>(in.d);
  const gpu::HeadLayout heads{{layers, static_cast<int>(kHeads), d}, kGroup, in.d, 0.25F};
  const std::size_t rows = in.rows();
  const std::size_t longest = *std::max_element(in.lengths.begin(), in.lengths.end());
  const gpu::Capacity capacity{rows, in.lengths.size(), longest, chunk};
  kernels::Stream stream;
  gpu::Memory memory(false);
  gpu::CacheMemory shared;
  std::vector<std::unique_ptr<gpu::PagedCache>> caches;
  caches.push_back(std::make_unique<gpu::PagedCache>(caches::parse_specification(specification),
                                                     heads, capacity, &shared, &memory, &stream));
  gpu::PagedCache& cache = *caches.front();
  take(caches, capacity, &shared, &memory);
  gpu::Batch batch(capacity, &memory);
  std::vector<std::vector<std::int32_t>> ids;
  std::vector<transformer::Sequence> sequences;
  for (const std::size_t length : in.lengths) ids.emplace_back(length, 0);
  for (const auto& one : ids)
    sequences.push_back({one, static_cast<std::uint32_t>(&one - &ids[0])});
  batch.set(stream, sequences);
  cache.begin(stream);
  const std::size_t width = kHeads * in.d;
  const kernels::Buffer<float> keys(stream, in.keys), values(stream, in.values),
      queries(stream, in.queries), out(rows * width * kGroup);
  kernels::Buffer<unsigned long long> out_of_range(3);
  out_of_range.fill(stream, 0xFF);
  for (std::size_t first = 0; first < rows; first += chunk) {
    const std::size_t count = std::min(chunk, rows - first);
    const gpu::Chunk of_keys{
        &batch, layer, first, count, out_of_range.data(), out_of_range.data() + 2};
    const gpu::Chunk of_values{&batch, layer, first, count, out_of_range.data() + 1, nullptr};
    cache.attend(stream, of_keys, of_values, keys.data() + first * width,
                 values.data() + first * width, queries.data() + first * width * kGroup,
                 out.data() + first * width * kGroup);
  }
  OnDevice result{out.download(stream), {}};
  const kernels::Pages& pages = cache.keys().pages();
  if (pages.kind != kernels::RowKind::records) return result;
  const auto bytes = static_cast<std::size_t>(pages.record_bits() / 8);
  const kernels::Buffer<std::uint8_t> records(rows * kHeads * bytes);
  kernels::load_rows(stream, pages, batch.table(), batch.places(0, rows), records.data(), bytes);
  result.records = records.download(stream);
  return result;
}

/// The same through the cache on the CPU, sums and softmax in FP64 where that cache leaves them.
std::vector<double> attend_on_host(const std::string& specification, const Inputs& in) {
  const auto cache = caches::make_cache(caches::parse_specification(specification),
                                        {1, static_cast<int>(kHeads), static_cast<int>(in.d)});
  std::vector<double> out(in.rows() * kHeads * kGroup * in.d);
  std::size_t row = 0;
  for (std::size_t s = 0; s < in.lengths.size(); row += in.lengths[s++])
    for (std::size_t head = 0; head < kHeads; ++head) {
      const std::size_t count = in.lengths[s];
      const auto keys = cache->keys(0, static_cast<int>(head));
      const auto values = cache->values(0, static_cast<int>(head));
      keys->begin(static_cast<std::uint32_t>(s));
      values->begin(static_cast<std::uint32_t>(s));
      std::vector<float> weights(count * count), sums(count * in.d);
      for (std::size_t t = 0; t < count; ++t) {
        keys->write(&in.keys[((row + t) * kHeads + head) * in.d], 1);
        values->write(&in.values[((row + t) * kHeads + head) * in.d], 1);
      }
      for (std::size_t g = 0; g < kGroup; ++g) {
        const std::size_t query_head = head * kGroup + g;
        for (std::size_t t = 0; t < count; ++t)
          keys->score(&in.queries[((row + t) * kHeads * kGroup + query_head) * in.d], 1, t, 0,
                      count, &weights[t * count]);
        for (std::size_t t = 0; t < count; ++t) {
          float* const scores = &weights[t * count];
          const float most = *std::max_element(scores, scores + t + 1);
          double total = 0;
          for (std::size_t i = 0; i <= t; ++i) total += std::exp(0.25 * (scores[i] - most));
          for (std::size_t i = 0; i <= t; ++i)
            scores[i] = static_cast<float>(std::exp(0.25 * (scores[i] - most)) / total);
          std::fill(scores + t + 1, scores + count, 0.0F);
        }
        values->weighted_sum(weights.data(), count, 0, 0, count, sums.data());
        for (std::size_t t = 0; t < count; ++t)
          std::copy_n(&sums[t * in.d], in.d,
                      &out[((row + t) * kHeads * kGroup + query_head) * in.d]);
      }
    }
  return out;
}

/// The largest relative error of a query head.
double worst_head(const std::vector<float>& a, const std::vector<double>& b, std::size_t d) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t row = 0; row < b.size(); row += d) {
    double error = 0, size = 0;
    for (std::size_t i = row; i < row + d; ++i) {
      error += (a[i] - b[i]) * (a[i] - b[i]);
      size += b[i] * b[i];
    }
    worst = std::max(worst, std::sqrt(error / size));
  }
  return worst;
}

void check_attention(const std::string& specification, std::size_t d,
                     std::vector<std::size_t> lengths = {9, 34},
                     const std::vector<std::size_t>& chunks = {13}) {
  CASE(specification);
  const Inputs in(d, std::move(lengths), 3);
  const std::vector<double> host = attend_on_host(specification, in);
  for (const std::size_t chunk : chunks)
    CHECK_AT(chunk,
             worst_head(attend_on_device(specification, in, chunk).attended, host, d) < 1e-3);
}

}  // namespace

TEST_CASE("attention of equal rows: a trellis") {
  const auto text = [](int d, int b, int states) {
    return "macro: {head_dim: " + std::to_string(d) + ", index_bits: " + std::to_string(b) +
           "}\nquantizer: {kind: trellis, states: " + std::to_string(states) + "}\n";
  };
  for (const int states : {4, 8, 16})
    for (const int b : {2, 3, 4}) {
      CASE(states, b);
      check_attention(Macro(text(64, b, states)).cache(), 64);
    }
  for (const int d : {32, 128}) {
    CASE(d);
    const Macro macro(text(d, 3, 8));
    const auto width = static_cast<std::size_t>(d);
    check_attention(macro.cache(), width);
    check_attention("keys=fp16;values=" + macro.cache(), width);
    check_attention("keys=" + macro.cache() + ";values=fp16", width);
  }
}

TEST_CASE("attention of equal rows: records of two parts") {
  for (const std::size_t d : {64, 128, 256}) {
    CASE(d);
    const test::SplitChannels channels(1, kHeads, d);
    const std::string macro = "macro: {head_dim: " + std::to_string(d) + "}\n";
    const Macro prod(macro + "quantizer: {kind: prod}\n"),
        halves(macro + "quantizer: {scale: unbiased}\n" + channels.section("[4, 2]")),
        paths(macro + "quantizer: {kind: trellis, scale: unbiased}\n" + channels.section("[3, 1]")),
        mse(macro), trellis(macro + "quantizer: {kind: trellis}\n");
    for (const Macro* const one : {&prod, &halves, &paths}) {
      CASE(one);
      check_attention(one->cache(), d);
      check_attention("keys=" + one->cache() + ";values=fp16", d, {9, 34}, {13, 43});
      check_attention("keys=fp16;values=" + one->cache(), d);
      check_attention("keys=" + one->cache() + ";values=" + mse.cache(), d);
      check_attention("keys=" + one->cache() + ";values=" + trellis.cache(), d);
    }
  }
}

TEST_CASE("attention of equal rows: exact tokens") {
  for (const int d : {32, 64}) {
    CASE(d);
    const std::string unbiased =
        "macro: {head_dim: " + std::to_string(d) + "}\nquantizer: {scale: unbiased}\n";
    const auto width = static_cast<std::size_t>(d);
    const Macro some(unbiased + "exact: {first: 2, last: 5}\n"),
        first(unbiased + "exact: {first: 16}\n"),
        many(unbiased + "exact: {first: 1, last: 64, bits: 12}\n"), none(unbiased);
    check_attention(some.cache(), width, {9, 34}, {1, 13, 43});
    check_attention(first.cache(), width);
    check_attention(many.cache(), width, {70}, {16});
    check_attention("keys=" + some.cache() + ";values=" + none.cache(), width);
    check_attention("keys=" + none.cache() + ";values=" + some.cache(), width);
    check_attention("keys=" + first.cache() + ";values=" + many.cache(), width);
    check_attention("keys=fp16;values=" + some.cache(), width);
    check_attention("keys=" + some.cache() + ";values=fp16", width);
  }
  const std::string exact = "exact: {first: 1, last: 3}\n";
  const Macro bf16("macro: {head_dim: 64, element_format: bf16}\nquantizer: {scale: unbiased}\n" +
                   exact),
      wide("macro: {head_dim: 64}\nnumerics: {query_bits: 14}\nquantizer: {scale: unbiased}\n" +
           exact),
      trellis("macro: {head_dim: 64}\nquantizer: {kind: trellis, scale: unbiased}\n" + exact),
      repaired("macro: {head_dim: 64}\nquantizer: {scale: unbiased}\n" + exact +
               "ecc: {code: hamming84, erasure: interpolate}\n");
  check_attention(bf16.cache(), 64);
  check_attention(wide.cache(), 64);
  check_attention(trellis.cache(), 64);
  check_attention(repaired.cache(",ber=0.02"), 64);
}

TEST_CASE("attention of equal rows: keys encoded with feedback") {
  for (const bool full : {false, true}) {
    CASE(full);
    const test::TemporaryFile file(".safetensors");
    files::write_query_moments(file.path(), test::some_moments(kHeads, 64, full), {}, true);
    const Macro mse("macro: {head_dim: 64}\nquantizer: {scale: unbiased}\n"),
        trellis(
            "macro: {head_dim: 64, index_bits: 2}\n"
            "quantizer: {kind: trellis, scale: unbiased}\nexact: {first: 1, last: 4}\n");
    check_attention(mse.cache(",encoder=feedback:" + file.path()), 64);
    check_attention(trellis.cache(",encoder=feedback:" + file.path()), 64);
  }
}

TEST_CASE("attention of equal rows: balanced keys and queries, and values without balance") {
  for (const std::size_t d : {32, 64, 128}) {
    CASE(d);
    const test::Exponents balance(1, kHeads, d);
    const test::SplitChannels channels(1, kHeads, d);
    const std::string macro = "macro: {head_dim: " + std::to_string(d) + "}\n";
    const std::string unbiased = macro + "quantizer: {scale: unbiased}\n";
    const Macro plain(macro + balance.section()),
        exact(unbiased + "exact: {first: 1, last: 4}\n" + balance.section()),
        prod(macro + "quantizer: {kind: prod}\n" + balance.section()),
        wide(macro + "numerics: {query_bits: 14}\n" + balance.section()), without(macro);
    for (const Macro* const one : {&plain, &exact, &prod, &wide}) {
      CASE(one);
      check_attention(one->cache(), d);
      check_attention("keys=" + one->cache() + ";values=fp16", d);
    }
    check_attention("keys=fp16;values=" + plain.cache(), d);
    check_attention(
        "keys=" + without.cache(",balance=" + balance.path()) + ";values=" + without.cache(), d);
    const test::TemporaryFile moments(".safetensors");
    files::Metadata made_for;
    files::add_balance(balance.digest(), &made_for);
    files::write_query_moments(moments.path(), test::some_moments(kHeads, d, false), made_for,
                               true);
    check_attention(exact.cache(",encoder=feedback:" + moments.path()), d);
    if (d == 32) continue;  // a split of 32 channels has no cache on a GPU
    const Macro split(unbiased + channels.section("[4, 2]") + balance.section());
    check_attention(split.cache(), d);
  }
}

constexpr int kLayers = 3;

TEST_CASE("keys on the device are golden's records of two parts and of balance, in every layer") {
  const Inputs in(64, {33, 20}, 4);
  const test::SplitChannels channels(kLayers, kHeads, 64);
  const test::Exponents balance(kLayers, kHeads, 64);
  for (const std::string& text :
       {std::string("quantizer: {kind: prod}\n"), balance.section(),
        balance.section() + "quantizer: {kind: trellis}\n",
        balance.section() + "quantizer: {scale: unbiased}\n" + channels.section("[4, 2]"),
        "quantizer: {scale: unbiased}\n" + channels.section("[4, 2]"),
        "quantizer: {kind: trellis, scale: unbiased}\n" + channels.section("[3, 1]")}) {
    CASE(text);
    const Macro macro("macro: {head_dim: 64}\n" + text);
    const files::Config config = files::read_config(macro.path());
    const Parameters& p = config.parameters;
    const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
    const auto bytes = static_cast<std::size_t>(p.record_bytes());
    for (int layer = 0; layer < kLayers; ++layer) {
      CASE(layer);
      const OnDevice device = attend_on_device(macro.cache(), in, 16, kLayers, layer);
      for (std::size_t head = 0; head < kHeads; ++head) {
        CASE(head);
        const files::Config of_head = files::config_of_head(config, files::folder_of(macro.path()),
                                                            layer, static_cast<int>(head));
        Datapath golden(p, rom, of_head.head_rotation, {});
        KeyResult key;
        for (std::size_t row = 0; row < in.rows(); ++row) {
          CASE(row);
          std::vector<std::uint16_t> elements;
          for (std::size_t i = 0; i < 64; ++i)
            elements.push_back(double_to_half(double{in.keys[(row * kHeads + head) * 64 + i]}));
          golden.write(elements.data(), &key);
          REQUIRE_SAME(key.record,
                       std::span(device.records).subspan((row * kHeads + head) * bytes, bytes));
        }
      }
    }
  }
}

TEST_CASE("keys on the device are golden's records, in every layer") {
  const Inputs in(64, {33, 20}, 4);
  for (const std::string quantizer : {"scale: unbiased", "kind: trellis, scale: unbiased"})
    for (const std::string encoder : {"none", "rank 1", "full"}) {
      CASE(quantizer, encoder);
      const test::TemporaryFile file(".safetensors");
      files::QueryMoments moments = test::some_moments(kHeads, 64, encoder == "full", kLayers);
      // A head without feedback, and a layer.
      if (encoder == "rank 1") {
        moments.alphas[0] = 0;
        std::fill_n(&moments.alphas[kHeads], kHeads, 0.0F);
      }
      files::write_query_moments(file.path(), moments, {}, true);
      const Macro macro("macro: {head_dim: 64}\nquantizer: {" + quantizer +
                        "}\nexact: {last: 2}\n");
      const std::string cache =
          macro.cache(encoder == "none" ? "" : ",encoder=feedback:" + file.path());
      const Parameters p = files::read_config(macro.path()).parameters;
      const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
      const auto bytes = static_cast<std::size_t>(p.record_bytes());
      for (int layer = 0; layer < kLayers; ++layer) {
        CASE(layer);
        const OnDevice device = attend_on_device(cache, in, 16, kLayers, layer);
        for (std::size_t head = 0; head < kHeads; ++head) {
          CASE(head);
          std::vector<std::int8_t> signs(64);
          sign_vector(42, layer, static_cast<int>(head), 64, signs.data());
          Datapath golden(p, rom, signs, {});
          if (encoder != "none")
            golden.set_feedback(
                feedback_of(moments.at(static_cast<std::size_t>(layer), head), signs.data(), 64));
          std::vector<std::uint16_t> keys;
          for (std::size_t row = 0; row < in.rows(); ++row)
            for (std::size_t i = 0; i < 64; ++i)
              keys.push_back(double_to_half(double{in.keys[(row * kHeads + head) * 64 + i]}));
          std::vector<std::uint8_t> records;
          for (std::size_t row = 0; row < in.rows(); ++row) {
            const std::uint8_t* const record = &device.records[(row * kHeads + head) * bytes];
            records.insert(records.end(), record, record + bytes);
          }
          CHECK_SAME(golden.records(keys.data(), in.rows()), records);
        }
      }
    }
}
