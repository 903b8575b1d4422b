#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "contract_tensors.hpp"
#include "result_example.hpp"
#include "support.hpp"

using namespace axelram::files;
using namespace test;

namespace {

/// The example with copies of its first and of its newest tokens.
Result with_copies(Result r, std::size_t first, std::size_t last) {
  r.parameters.exact_first = static_cast<int>(first);
  r.parameters.exact_last = static_cast<int>(last);
  r.exact.resize(r.tokens);
  for (std::size_t t = 0; t < r.tokens; ++t)
    if (t < first || t + last >= r.tokens) {
      r.exact[t] = 1;
      ++r.copies;
    }
  allocate(&r);
  r.exact_keys = counting<std::int16_t>(r.copies * 32, -25);
  r.exact_exponents = counting<std::int32_t>(r.copies, -30);
  return r;
}

}  // namespace

TEST_CASE("a written result is read, and written again byte for byte") {
  const test::TemporaryFolder folder;
  for (const std::size_t tokens : {0U, 1U, 3U})
    for (const std::size_t queries : {0U, 2U})
      for (const std::size_t codeword_bytes : {0U, 20U}) {
        CASE(tokens, queries, codeword_bytes);
        const Result result = example(tokens, queries, codeword_bytes);
        write_result(folder / "a", result, true);
        const Result got = read_result(folder / "a");
        CHECK(first_difference(result, got) == std::nullopt);
        CHECK(got.tokens == tokens);
        CHECK(got.queries == queries);
        CHECK(got.head_dim() == 32);
        CHECK(got.parameters.index_bits == 2);
        CHECK_SAME(got.codewords, result.codewords);
        write_result(folder / "b", got, true);
        CHECK_SAME(test::content(folder / "a"), test::content(folder / "b"));
      }
}

TEST_CASE("tensors and metadata of the file") {
  const test::TemporaryFolder folder;
  write_result(folder / "r", example(3, 2, 20), false);
  const Safetensors file = Safetensors::read(folder / "r");
  CHECK_SAME(test::tensors_of(file), test::contract_tensors({{"tokens", 3},
                                                             {"queries", 2},
                                                             {"d", 32},
                                                             {"boundary words", 3},
                                                             {"bytes of a record", 10},
                                                             {"codeword bytes", 20}},
                                                            {"code"}));
  CHECK_SAME(file.metadata(), Metadata{{"boundaries", "-8000,0,8000"},
                                       {"centroids", "-120,-36,36,120"},
                                       {"kappa", "38.666666666666664"},
                                       {"score_scale", "0.00080818965517241389"}});
}

TEST_CASE("copies of a written result are read, and written again byte for byte") {
  const test::TemporaryFolder folder;
  for (const std::size_t tokens : {0U, 1U, 4U})
    for (const std::size_t last : {0U, 2U, 9U}) {
      CASE(tokens, last);
      const Result result = with_copies(example(tokens, 2, 20), 1, last);
      write_result(folder / "a", result, true);
      const Result got = read_result(folder / "a");
      CHECK(first_difference(result, got) == std::nullopt);
      CHECK(got.has_copies());
      CHECK(got.copies == std::min(tokens, 1 + last));
      CHECK_SAME(got.exact, result.exact);
      CHECK_SAME(got.exact_keys, result.exact_keys);
      CHECK_SAME(got.exact_exponents, result.exact_exponents);
      write_result(folder / "b", got, true);
      CHECK_SAME(test::content(folder / "a"), test::content(folder / "b"));
    }

  write_result(folder / "r", with_copies(example(4, 2), 1, 2), false);
  CHECK(test::tensors_of(Safetensors::read(folder / "r")) ==
        test::contract_tensors({{"tokens", 4},
                                {"queries", 2},
                                {"d", 32},
                                {"boundary words", 3},
                                {"bytes of a record", 10},
                                {"copies", 3}},
                               {"exact"}));
}

TEST_CASE("sizes of every legal macro") {
  const test::TemporaryFolder folder;
  for (const int d : {32, 64, 128, 256})
    for (const int b : {2, 3, 4}) {
      CASE(d, b);
      Result r;
      r.parameters.head_dim = d;
      r.parameters.index_bits = b;
      r.centroids.resize(std::size_t{1} << b);
      r.boundaries.resize(r.centroids.size() - 1);
      write_result(folder / "r", r, true);
      const Result got = read_result(folder / "r");
      CHECK(got.parameters.head_dim == d);
      CHECK(got.parameters.index_bits == b);
      CHECK(first_difference(r, got) == std::nullopt);
    }
}

TEST_CASE("the contract shows the table of tensors") {
  const std::string page = "reference/bit-contract.md";
  test::check_page(page, "result-tensors", result_tensors_markdown(false));
  test::check_page(page, "attention-tensors", result_tensors_markdown(true));
}

TEST_CASE("tensors are allocated, named and counted by their table") {
  Result r;
  r.parameters.head_dim = 32;
  r.parameters.kind = axelram::QuantizerKind::trellis;
  r.tokens = 3;
  r.queries = 2;
  r.output = axelram::OutputFormat::fp16;
  allocate(&r);
  CHECK(wrong_tensor(r).empty());
  CHECK_SAME(r.levels, std::vector<std::uint8_t>(3 * 32));
  CHECK(r.thresholds.empty());
  CHECK(r.reconstructions.size() == 3 * 16);
  CHECK_SAME(r.maxima, std::vector<std::int32_t>(2, -32768));
  CHECK_SAME(r.weight_references, std::vector<std::int32_t>(6, -32768));
  CHECK(r.half_outputs.size() == 2 * 32);
  CHECK(row_of(r.path_costs, 2, 3).data() == &r.path_costs[2]);
  CHECK(row_of(r.correlations, 2, 3).empty());
  // A key has indices, levels, a norm, a cost, 16 reconstructions and a record. Its value has
  // indices, a norm and a record.
  CHECK(row_bytes(r, result_axis::tokens) == 32 + 32 + 2 + 4 + 16 * 4 + 14 + 32 + 2 + 14);
  // A query has 4 tensors [d], 5 numbers and 5 tensors [tokens].
  CHECK(row_bytes(r, result_axis::queries) ==
        32 * (4 + 8 + 4 + 2) + (4 + 4 + 8 + 4 + 4) + 3 * (8 + 4 + 4 + 4 + 4));
  CHECK(row_bytes(r, result_axis::copies) == 0);
  r.maxima.pop_back();
  CHECK(wrong_tensor(r) == "maxima: 1 values in the shape [2]");
}

TEST_CASE("a result that contradicts itself is not written") {
  const test::TemporaryFolder folder;
  const std::function<void(Result&)> breaks[] = {
      [](Result& r) { r.indices.pop_back(); },
      [](Result& r) { r.scores.push_back(0); },
      [](Result& r) { r.centroids.clear(); },
      [](Result& r) { r.boundaries.push_back(1); },
      [](Result& r) { r.tokens = 4; },
      [](Result& r) { r.codeword_bytes = 1; },
      [](Result& r) { r.parameters.exact_first = 1; },
  };
  for (const auto& damage : breaks) {
    CASE(&damage - breaks);
    Result r = example();
    damage(r);
    CHECK_THROWS_AS(write_result(folder / "r", r, false), std::logic_error);
    if (r.centroids.size() == 4 && r.boundaries.size() == 3)
      CHECK_THROWS_AS(first_difference(r, r), std::logic_error);
  }
  for (const std::uint8_t flag : std::vector<std::uint8_t>{0, 2}) {
    CASE(flag);
    Result r = with_copies(example(), 1, 1);
    r.exact[2] = flag;
    CHECK_THROWS_AS(write_result(folder / "r", r, false), std::logic_error);
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("the first difference, by name and place") {
  const Result a = example(3, 2, 20);
  const auto text = [&a](const std::function<void(Result&)>& damage) {
    Result b = a;
    damage(b);
    const auto difference = first_difference(a, b);
    return difference ? difference->text() : "";
  };
  CHECK(text([](Result&) {}) == "");
  CHECK(text([](Result& r) { r.indices[2 * 32 + 5] = 9; }) ==
        "indices, row 2, column 5: 19 against 9");
  CHECK(text([](Result& r) { r.norms[1] = 7; }) == "norms, row 1: 15361 against 7");
  CHECK(text([](Result& r) { r.thresholds[8] = 1; }) ==
        "thresholds, row 2, column 2: -32 against 1");
  CHECK(text([](Result& r) { r.records[10] = 1; }) == "records, row 1, column 0: 110 against 1");
  CHECK(text([](Result& r) { r.codewords[39] = 1; }) ==
        "codewords, row 1, column 19: 46 against 1");
  CHECK(text([](Result& r) { r.rotated_queries[33] = 1; }) ==
        "rotated_queries, row 1, column 1: 13 against 1");
  CHECK(text([](Result& r) { r.query_exponents[1] = 1; }) ==
        "query_exponents, row 1: -8 against 1");
  CHECK(text([](Result& r) { r.accumulators[5] = 1LL << 40; }) ==
        "accumulators, row 1, column 2: 3 against 1099511627776");
  CHECK(text([](Result& r) { r.scores[1] = -0.0F; }) ==
        "scores, row 0, column 1: 0 (0x0) against -0 (0x80000000)");
  CHECK(text([](Result& r) { r.scores[0] = NAN; }) ==
        "scores, row 0, column 0: -1 (0xbf800000) against nan (0x7fc00000)");
  CHECK(text([](Result& r) { r.kappa *= 2; }) ==
        "kappa: 38.666666666666664 against 77.333333333333329");
  CHECK(text([](Result& r) { r.centroids[0] = -121; }) ==
        "centroids: -120,-36,36,120 against -121,-36,36,120");
  CHECK(text([](Result& r) { r.boundaries[0] = 1; }) ==
        "boundaries: -8000,0,8000 against 1,0,8000");
  CHECK(text([](Result& r) { r = example(2, 2, 20); }) ==
        "shape of indices: [3, 32] against [2, 32]");
  CHECK(text([](Result& r) { r = example(3, 2, 21); }) ==
        "shape of codewords: [3, 20] against [3, 21]");
  CHECK(text([](Result& r) { r = example(3, 2, 0); }) ==
        "name of a tensor: codewords against rotated_queries");
  const Result copies = with_copies(a, 1, 1);
  const auto copy_text = [&copies](const std::function<void(Result&)>& damage) {
    Result b = copies;
    damage(b);
    return first_difference(copies, b)->text();
  };
  CHECK(copy_text([](Result& r) { r.exact[1] = 1; }) == "exact, row 1: 0 against 1");
  CHECK(copy_text([](Result& r) { r.exact_keys[33] = 1; }) ==
        "exact_keys, row 1, column 1: 8 against 1");
  CHECK(copy_text([](Result& r) { r.exact_exponents[1] = 1; }) ==
        "exact_exponents, row 1: -29 against 1");
  CHECK(copy_text([&](Result& r) { r = with_copies(a, 1, 2); }) ==
        "shape of exact_keys: [2, 32] against [3, 32]");
  CHECK(copy_text([&](Result& r) { r = a; }) == "name of a tensor: exact against rotated_queries");
  // the first in file order, not the last found
  CHECK(contains(text([](Result& r) { r.scores[0] = 9, r.norms[2] = 0, r.norms[1] = 0; }),
                 "norms, row 1"));
}

TEST_CASE("NaNs of the same bits are equal") {
  Result a = example();
  a.scores[0] = NAN;
  CHECK(first_difference(a, Result(a)) == std::nullopt);
}

TEST_CASE("files that are no results") {
  const test::TemporaryFolder folder;
  write_result(folder / "r", example(3, 2, 20), false);
  const Safetensors good = Safetensors::read(folder / "r");
  std::vector<Tensor> tensors;
  Metadata metadata;
  const auto message = [&](const std::function<void()>& damage) {
    tensors = good.tensors();
    metadata = good.metadata();
    damage();
    write_safetensors(folder / "x", tensors, metadata, true);
    return test::message([&] { read_result(folder / "x"); });
  };
  CHECK(message([] {}) == "");
  for (std::size_t i = 0; i < 9; ++i) {
    const std::string name = good.tensors()[i].name;
    CASE(i, name);
    const std::string missing =
        message([&] { tensors.erase(tensors.begin() + static_cast<long>(i)); });
    if (name == "codewords")
      CHECK(missing == "");
    else
      CHECK(contains(missing, "no tensor '" + name + "'"));
    CHECK(contains(message([&] {
                     tensors[i].type = DataType::boolean;
                     tensors[i].shape = {tensors[i].bytes};
                   }),
                   "tensor " + name + ": dtype is BOOL"));
    CHECK(contains(message([&] { tensors[i].shape.push_back(1); }), "tensor " + name + ": shape"));
  }
  CHECK(contains(message([&] { std::swap(tensors[0], tensors[1]); }),
                 "tensor indices: it must be number 1 of the file's tensors"));
  CHECK(contains(message([&] { tensors.push_back(tensors[0]), tensors.back().name = "more"; }),
                 "tensor more: not part of a result"));
  CHECK(contains(message([&] { tensors[0].shape = {6, 16}; }), "tensor indices: shape is [6, 16]"));
  CHECK(contains(message([&] {
                   tensors[2].shape = {1, 9};
                 }),
                 "tensor thresholds: shape is [1, 9]"));
  CHECK(contains(message([&] { tensors[8].shape = {3, 2}; }), "it must be [2, 3]"));
  CHECK(contains(message([&] {
                   tensors[4].shape = {60, 0}, tensors[4].bytes = 0;
                 }),
                 "tensor codewords: no bytes in a row"));

  for (const char* key : {"kappa", "score_scale", "centroids", "boundaries"}) {
    CASE(key);
    CHECK_AT(key,
             contains(message([&] { metadata.erase(key); }), std::string("no metadata '") + key));
  }
  CHECK(contains(message([&] { metadata["engine"] = "rtl"; }),
                 "boundaries, centroids, kappa, score_scale alone"));
  for (const char* text : {"", "x", "1.0", "1,5", " 1", "1 ", "+1", "nan", "inf", "1e999", "0x1"}) {
    CASE(text);
    CHECK_AT(text, contains(message([&] { metadata["kappa"] = text; }), "metadata kappa is"));
  }
  CHECK(message([&] { metadata["kappa"] = "1"; }) == "");
  for (const char* text : {"", "1,2,3", "1,2,3,4,5", "1,2,3,4,", ",1,2,3,4", "1,2,3, 4", "1,2,3,+4",
                           "1,2,3,04", "1,2,3,2147483648", "1,2,3,x"}) {
    CASE(text);
    CHECK_AT(text, contains(message([&] { metadata["centroids"] = text; }), "must be 4 integers"));
  }
  for (const char* text : {"1;2;3;4", "1,2;3,4", ";"}) {
    CASE(text);
    CHECK_AT(text, contains(message([&] { metadata["centroids"] = text; }), "it has one part"));
  }
}

TEST_CASE("files whose copies fit no tokens") {
  const test::TemporaryFolder folder;
  write_result(folder / "r", with_copies(example(4, 2), 1, 2), false);
  const Safetensors good = Safetensors::read(folder / "r");
  std::vector<Tensor> tensors;
  const auto message = [&](const std::function<void()>& damage) {
    tensors = good.tensors();
    damage();
    write_safetensors(folder / "x", tensors, good.metadata(), true);
    return test::message([&] { read_result(folder / "x"); });
  };
  enum : std::size_t { kExact = 4, kKeys, kExponents };
  CHECK(message([] {}) == "");
  CHECK(tensors[kExact].name == "exact");
  CHECK(contains(message([&] { tensors.erase(tensors.begin() + kExact); }),
                 "tensor rotated_queries: it must be number 5"));
  CHECK(
      contains(message([&] { tensors.erase(tensors.begin() + kKeys); }), "no tensor 'exact_keys'"));
  CHECK(contains(message([&] { tensors.erase(tensors.begin() + kExponents); }),
                 "no tensor 'exact_exponents'"));
  CHECK(contains(message([&] { tensors[kExact].shape = {2, 2}; }), "tensor exact: shape"));
  CHECK(
      contains(message([&] {
                 tensors[kKeys].shape = {6, 16};
               }),
               "tensor exact_keys: shape is [6, 16]; beside the other tensors it must be [3, 32]"));
  CHECK(contains(message([&] { tensors[kExponents].shape = {3, 1}; }), "tensor exact_exponents"));
  CHECK(contains(message([&] { std::swap(tensors[kExact], tensors[kKeys]); }),
                 "tensor exact: it must be number 5"));

  const std::string copies = (folder / "x") + ": tensor exact_keys: 3 copies; tensor exact has ";
  std::vector<std::uint8_t> exact{1, 1, 1, 1};
  const auto flags = [&] {
    return message([&] { tensors[kExact] = view("exact", DataType::u8, {4}, exact); });
  };
  CHECK(flags() == copies + "4 ones, and each stands for one copy");
  exact = {0, 0, 1, 1};
  CHECK(flags() == copies + "2 ones, and each stands for one copy");
  exact = {1, 1, 0, 1};  // a record from outside may be among the exact tokens
  CHECK(flags() == "");
  exact = {1, 1, 0, 255};
  CHECK(flags() == (folder / "x") + ": tensor exact, row 3: 255; it must be 0 or 1");
}

TEST_CASE("decimals bring every double back") {
  const test::TemporaryFolder folder;
  using limits = std::numeric_limits<double>;
  for (const double value :
       {0.1, 1.0 / 3, 1e-300, limits::max(), limits::denorm_min(), -0.0, 1e22}) {
    CASE(value);
    Result r = example();
    r.kappa = value;
    write_result(folder / "r", r, true);
    CHECK(read_result(folder / "r").kappa == value);
  }
}
