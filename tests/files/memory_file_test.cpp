#include "axelram/files/memory_file.hpp"

#include <cmath>

#include "axelram/files/sha256.hpp"
#include "axelram/memory_state.hpp"
#include "memory_file_example.hpp"
#include "support.hpp"

using namespace axelram;
using namespace files;
namespace example = memory_file_example;

namespace {

struct StateFile {
  test::TemporaryFolder folder;
  std::string path = folder / "state";

  MemoryFile read(const MemoryIdentity& identity, std::size_t layers = example::kLayers,
                  std::size_t heads = example::kHeads, std::size_t hidden = example::kHidden,
                  std::int64_t longest = example::kLongest) const {
    return files::read_memory_file(path, identity, layers, heads, hidden, longest);
  }
  void rejected(const std::string& what, const MemoryIdentity& identity,
                std::size_t layers = example::kLayers, std::size_t heads = example::kHeads,
                std::size_t hidden = example::kHidden,
                std::int64_t longest = example::kLongest) const {
    CASE(what);
    CHECK(test::message([&] { read(identity, layers, heads, hidden, longest); }) ==
          path + ": " + what);
  }
};

MemoryIdentity with_code() {
  MemoryIdentity identity = example::identity(MemoryStore::records, "hamming84");
  identity.erasure = ErasurePolicy::zero;
  return identity;
}

MemoryIdentity with_blend_of_model() {
  MemoryIdentity identity = example::identity(MemoryStore::fp16);
  identity.blend_by_model = true;
  return identity;
}

}  // namespace

TEST_CASE("state files: what is written is read") {
  StateFile file;
  for (const MemoryIdentity& identity : {example::identity(), example::identity(MemoryStore::fp16),
                                         with_code(), with_blend_of_model()})
    for (const int tokens : {0, 1, 2, 3, 14, 60}) {
      CASE(identity.memory.store, identity.code, identity.blend_by_model, tokens);
      const MemoryFile written = example::file_of(identity, tokens);
      files::write_memory_file(file.path, written, true);
      CHECK(example::same(file.read(identity), written));
      const MemoryFile any = files::read_memory_file(file.path);
      CHECK(example::same(any, written));
      CHECK(any.identity.model == identity.model);
      CHECK(any.identity.signs == identity.signs);
      CHECK(any.identity.blend_by_model == identity.blend_by_model);
      CHECK(any.identity.memory.match == identity.memory.match);
      CHECK(any.identity.memory.store == identity.memory.store);
      CHECK(any.identity.code == identity.code);
      CHECK(any.identity.erasure == identity.erasure);
      const std::string before = test::content(file.path);
      files::write_memory_file(file.path, any, true);
      CHECK_SAME(test::content(file.path), before);
    }
  CHECK(file.folder.entries() == 1);
}

TEST_CASE("state files: tensors and metadata are those of the contract") {
  StateFile file;
  files::write_memory_file(file.path, example::file_of(example::identity(), 14), false);
  const auto read = files::Safetensors::read(file.path);
  CHECK_SAME(
      read.metadata(),
      files::Metadata{
          {"format", "axelram-memory"},
          {"version", "1"},
          {"tokens", "0000000014"},
          {"content", files::sha256({reinterpret_cast<const char*>(read.tensors().front().data),
                                     2 * 2 * (7 * (14 + 2 * 14) + 2 * 2 * 32) + 4 * 5})},
          {"memory",
           "window=2,exact=3,summary=2,sinks=1,novel=44290,match=56945,gate_exact=26,"
           "gate_summary=13,blend=12,evict=gate,summary_key=newest,store=records"},
          {"numerics",
           "head_dim=32,index_bits=3,significand_bits=16,boundary_fraction_bits=13,"
           "query_bits=8,centroid_bits=8,codebook=gaussian,code=none,erasure=keep"},
          {"model", example::identity().model},
          {"signs", example::identity().signs}});
  const auto shapes = [](const files::Safetensors& all) {
    std::string text;
    for (const files::Tensor& tensor : all.tensors())
      text +=
          tensor.name + " " + name_of(tensor.type) + " " + files::to_string(tensor.shape) + "\n";
    return text;
  };
  CHECK(shapes(read) ==
        "labels U8 [2, 2, 7]\ngates U8 [2, 2, 7]\npositions I32 [2, 2, 7]\n"
        "stamps I32 [2, 2, 7]\nmerged I32 [2, 2, 7]\nkey_records U8 [2, 2, 7, 14]\n"
        "value_records U8 [2, 2, 7, 14]\nmasters F16 [2, 2, 2, 32]\nhidden F32 [5]\n");
  // The example's slots 1 and 2 of layer 0, head 0: w and m.
  CHECK(read.at("labels").values<std::uint8_t>()[2] == 4);
  CHECK(read.at("masters").values<std::uint16_t>()[0] == 0xCB6D);
  CHECK(read.at("positions").values<std::int32_t>()[1] == 13);

  files::write_memory_file(file.path, example::file_of(with_blend_of_model(), 14), true);
  const auto rows = files::Safetensors::read(file.path);
  CHECK(shapes(rows) ==
        "labels U8 [2, 2, 7]\ngates U8 [2, 2, 7]\npositions I32 [2, 2, 7]\n"
        "stamps I32 [2, 2, 7]\nmerged I32 [2, 2, 7]\nvalue_records U8 [2, 2, 7, 14]\n"
        "keys F16 [2, 2, 7, 32]\nvalues F16 [2, 2, 7, 32]\nhidden F32 [5]\n");
  CHECK(test::contains(rows.metadata_at("memory"), ",blend=model,"));
}

TEST_CASE("state files: the size does not depend on the tokens") {
  StateFile file;
  std::vector<std::uintmax_t> sizes;
  for (const int tokens : {0, 1, 100, 2000}) {
    files::write_memory_file(file.path, example::file_of(example::identity(), tokens), true);
    sizes.push_back(std::filesystem::file_size(file.path));
  }
  CHECK_SAME(sizes, std::vector<std::uintmax_t>(4, sizes.front()));
}

TEST_CASE("state files: a memory with larger banks goes on with the same slots") {
  for (const MemoryStore store : {MemoryStore::records, MemoryStore::fp16}) {
    CASE(store);
    StateFile file;
    const MemoryFile written = example::file_of(example::identity(store), 14);
    files::write_memory_file(file.path, written, true);
    MemoryIdentity larger = example::identity(store);
    larger.memory.exact = 5, larger.memory.summary = 4;
    const MemoryFile read = file.read(larger);
    CHECK(read.identity.memory.exact == 5);
    MemoryRecords records(example::head_of(larger));
    for (std::size_t i = 0; i < read.states.size(); ++i) {
      CASE(i);
      const MemoryState &now = read.states[i], &before = written.states[i];
      CHECK_NOTHROW(check_memory_state(records, now));
      CHECK(now.slots() == 11);
      const auto begins_alike = [](const auto& longer, const auto& shorter) {
        return test::Same(std::span(longer).first(shorter.size()), shorter);
      };
      CHECK(begins_alike(now.labels, before.labels));
      CHECK(begins_alike(now.key_records, before.key_records));
      CHECK(begins_alike(now.masters, before.masters));
      CHECK(begins_alike(now.values, before.values));
      for (std::size_t slot = 7; slot < 11; ++slot) {
        CASE(slot);
        CHECK_AT(slot, now.labels[slot] == SlotLabel::free);
      }
    }
    // A bank that shrinks is rejected, whatever it holds.
    files::write_memory_file(file.path, read, true);
    file.rejected("metadata memory: exact=5; this memory has exact=3, and no bank may shrink",
                  example::identity(store));
    larger.memory.summary = 3;
    file.rejected("metadata memory: summary=4; this memory has summary=3, and no bank may shrink",
                  larger);
  }
}

TEST_CASE("state files: those of other models and memories are named") {
  StateFile file;
  const MemoryIdentity mine = example::identity();
  files::write_memory_file(file.path, example::file_of(mine, 14), false);
  file.rejected("tensor labels: shape is [2, 2, 7]; axis 0 must have 3", mine, 3);
  file.rejected("tensor labels: shape is [2, 2, 7]; axis 1 must have 1", mine, 2, 1);
  file.rejected("tensor hidden: shape is [5]; axis 0 must have 6", mine, 2, 2, 6);
  file.rejected("metadata tokens: '0000000014'; a sequence has at most 13 tokens", mine, 2, 2, 5,
                13);
  CHECK(example::same(file.read(mine, 2, 2, 5, 14), example::file_of(mine, 14)));
  MemoryIdentity other = mine;
  other.model[63] = '8';
  file.rejected("metadata model: '" + mine.model + "'; this model has '" + other.model + "'",
                other);
  other = mine;
  other.signs[0] = '6';
  file.rejected("metadata signs: '" + mine.signs + "'; this memory has '" + other.signs +
                    "' with its signs and centers",
                other);
  const auto differs = [&](const char* key, const std::string& has, const std::string& right,
                           const std::function<void(MemoryIdentity&)>& change) {
    other = mine;
    change(other);
    file.rejected("metadata " + std::string(key) + ": " + has + "; this memory has " + right,
                  other);
  };
  using I = MemoryIdentity;
  differs("memory", "window=2", "window=3", [](I& i) { i.memory.window = 3; });
  differs("memory", "sinks=1", "sinks=0", [](I& i) { i.memory.sinks = 0; });
  differs("memory", "novel=44290", "novel=44289", [](I& i) { i.memory.novel = 44289; });
  differs("memory", "match=56945", "match=56946", [](I& i) { i.memory.match = 56946; });
  differs("memory", "gate_exact=26", "gate_exact=27", [](I& i) { i.memory.gate_exact = 27; });
  differs("memory", "gate_summary=13", "gate_summary=0", [](I& i) { i.memory.gate_summary = 0; });
  differs("memory", "blend=12", "blend=11", [](I& i) { i.memory.blend = 11; });
  differs("memory", "blend=12", "blend=model", [](I& i) { i.blend_by_model = true; });
  differs("memory", "evict=gate", "evict=lru", [](I& i) { i.memory.evict = EvictKind::lru; });
  differs("memory", "store=records", "store=fp16",
          [](I& i) { i.memory.store = MemoryStore::fp16; });
  differs("memory", "summary_key=newest", "summary_key=band", [](I& i) {
    i.memory.summary_key = SummaryKey::band;
    i.memory.store = MemoryStore::fp16;
  });
  differs("numerics", "index_bits=3", "index_bits=2", [](I& i) { i.parameters.index_bits = 2; });
  differs("numerics", "significand_bits=16", "significand_bits=15",
          [](I& i) { i.parameters.significand_bits = 15; });
  differs("numerics", "boundary_fraction_bits=13", "boundary_fraction_bits=12",
          [](I& i) { i.parameters.boundary_fraction_bits = 12; });
  differs("numerics", "query_bits=8", "query_bits=9", [](I& i) { i.parameters.query_bits = 9; });
  differs("numerics", "centroid_bits=8", "centroid_bits=7",
          [](I& i) { i.parameters.centroid_bits = 7; });
  differs("numerics", "codebook=gaussian", "codebook=beta",
          [](I& i) { i.parameters.codebook = CodebookKind::beta; });
  differs("numerics", "code=none", "code=golay24", [](I& i) { i.code = "golay24"; });
  differs("numerics", "erasure=keep", "erasure=zero",
          [](I& i) { i.erasure = ErasurePolicy::zero; });
}

TEST_CASE("state files: what cannot be read is not written") {
  StateFile file;
  const MemoryFile valid = example::file_of(example::identity(), 14);
  const auto fails = [&](const std::string& what, const std::function<void(MemoryFile&)>& change) {
    MemoryFile wrong = valid;
    change(wrong);
    CHECK(test::message([&] { files::write_memory_file(file.path, wrong, true); }) ==
          file.path + ": " + what);
    CHECK(file.folder.entries() == 0);
  };
  using F = MemoryFile;
  fails("memory.store is f32; it has no state file, use fp16 or records",
        [](F& f) { f.identity.memory.store = MemoryStore::f32; });
  fails("tensor hidden: element 3: NaN or infinity; it must be finite",
        [](F& f) { f.hidden[3] = std::nanf(""); });
  fails("metadata model: 'AB'; 64 hexadecimal digits, a SHA-256, are valid",
        [](F& f) { f.identity.model = "AB"; });
  fails("layer 1, head 0: slot 3: label 9; 0 to 4 are labels",
        [](F& f) { f.states[2].labels[3] = SlotLabel{9}; });
  fails("memory.match is 3; it must lie in 44290..131072",
        [](F& f) { f.identity.memory.match = 3; });
  fails(
      "ecc.erasure is interpolate; with a memory it must be keep or zero: slots have no "
      "neighbours in time",
      [](F& f) { f.identity.erasure = ErasurePolicy::interpolate; });
  const auto sizes_differ = [&](const std::function<void(MemoryFile&)>& change) {
    MemoryFile wrong = valid;
    change(wrong);
    CHECK_THROWS_AS(files::write_memory_file(file.path, wrong, true), std::logic_error);
  };
  sizes_differ([](F& f) { f.heads = 1; });
  sizes_differ([](F& f) { f.hidden.clear(); });
  sizes_differ([](F& f) { f.tokens = 15; });
  CHECK(file.folder.entries() == 0);

  files::write_memory_file(file.path, valid, false);
  const std::string before = test::content(file.path);
  CHECK(test::message([&] { files::write_memory_file(file.path, valid, false); }) != "");
  MemoryFile wrong = valid;
  wrong.hidden[0] = INFINITY;
  CHECK(test::message([&] { files::write_memory_file(file.path, wrong, true); }) != "");
  CHECK_SAME(test::content(file.path), before);
  CHECK(file.folder.entries() == 1);
}

TEST_CASE("state files: the digest of signs is that of rows, centers and exponents") {
  CHECK(files::signs_digest({1, -1, 1}) == files::sha256(std::string("\x01\xff\x01", 3)));
  CHECK(files::signs_digest({1, -1}, {0x3C00, 0x0001}) ==
        files::sha256(std::string("\x01\xff\x00\x3c\x01\x00", 6)));
  CHECK(files::signs_digest({1, -1}, {0x3C00}, {-8, 7}) ==
        files::sha256(std::string("\x01\xff\x00\x3c\xf8\x07", 6)));
}
