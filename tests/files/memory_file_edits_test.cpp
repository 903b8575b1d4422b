#include <cstring>
#include <functional>
#include <map>
#include <optional>

#include "axelram/files/memory_file.hpp"
#include "axelram/files/sha256.hpp"
#include "memory_file_example.hpp"
#include "support.hpp"

using namespace axelram;
using namespace files;
namespace example = memory_file_example;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const MemoryFile& file) {
  const test::TemporaryFolder folder;
  files::write_memory_file(folder / "state", file, false);
  const std::string text = test::content(folder / "state");
  return {text.begin(), text.end()};
}

/// The smallest bank of each kind, one layer and head.
MemoryFile small_file(MemoryStore store) {
  files::MemoryIdentity identity = example::identity(store);
  identity.memory.window = identity.memory.exact = identity.memory.summary = 1;
  identity.memory.sinks = 0;
  return example::file_of(identity, 9, 1, 1);
}

MemoryFileModel model_of(const MemoryFile& file) {
  return {file.identity, file.layers, file.heads, file.hidden.size(), example::kLongest};
}

/// What the bytes give, or nothing if they are rejected.
std::optional<MemoryFile> read(Bytes bytes, const MemoryFileModel& model) {
  try {
    return files::memory_file_from(Safetensors::parse(std::move(bytes), "f"), model);
  } catch (const files::InputError&) {
    return std::nullopt;
  }
}

/// A file of tensors that can be changed, under a digest of what they are then.
struct Edited {
  explicit Edited(const MemoryFile& file)
      : right(model_of(file)), all(Safetensors::parse(bytes_of(file), "f")) {
    metadata = all.metadata();
    for (const Tensor& tensor : all.tensors()) {
      tensors.push_back(tensor);
      data[tensor.name].assign(tensor.data, tensor.data + tensor.bytes);
    }
  }

  template <class T>
  void set(const std::string& name, std::size_t element, T value) {
    std::memcpy(&data.at(name)[element * sizeof value], &value, sizeof value);
  }

  /// The message of a reader of this model; "" if it takes the file.
  std::string message(const MemoryFileModel* model) {
    files::Sha256 sum;
    for (Tensor& tensor : tensors) {
      const auto found = data.find(tensor.name);
      if (found != data.end()) tensor.data = found->second.data();
      sum.add(tensor.data, tensor.bytes);
    }
    if (metadata.count("content") != 0 && digest_again) metadata["content"] = sum.digest();
    const std::string header = files::safetensors_header(tensors, metadata);
    Bytes bytes(header.begin(), header.end());
    for (const Tensor& tensor : tensors)
      bytes.insert(bytes.end(), tensor.data, tensor.data + tensor.bytes);
    return test::message([&] {
      const Safetensors file = Safetensors::parse(std::move(bytes), "f");
      model == nullptr ? files::memory_file_from(file) : files::memory_file_from(file, *model);
    });
  }
  void rejected(const std::string& what) {
    CHECK(message(nullptr) == "f: " + what);
    CHECK(message(&right) == "f: " + what);
  }

  MemoryFileModel right;
  Safetensors all;
  std::vector<Tensor> tensors;
  Metadata metadata;
  std::map<std::string, Bytes> data;
  bool digest_again = true;
};

/// After the 14 tokens of the example: slots swmxxmw in layer 0, head 0.
Edited edited() { return Edited(example::file_of(example::identity(), 14)); }

}  // namespace

TEST_CASE("state files: an edit of any bit is rejected, or what is read stays") {
  for (const MemoryStore store : {MemoryStore::records, MemoryStore::fp16}) {
    CASE(store);
    const MemoryFile right = small_file(store);
    const MemoryFileModel model = model_of(right);
    const Bytes bytes = bytes_of(right);
    REQUIRE(example::same(*read(bytes, model), right));
    std::size_t changed = 0, taken = 0;
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      Bytes other = bytes;
      other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ 1U << bit % 8);
      const std::optional<MemoryFile> file = read(std::move(other), model);
      taken += file ? 1U : 0U;
      changed += file && !example::same(*file, right) ? 1U : 0U;
    }
    CHECK(changed == 0);
    CHECK(taken == 0);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      if (read({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}, model))
        ++taken;
    Bytes longer = bytes;
    longer.push_back(0);
    CHECK_FALSE(read(std::move(longer), model).has_value());
    CHECK(taken == 0);
  }
}

TEST_CASE("state files: the order of tensors in the header is free, that of the data is not") {
  const MemoryFile right = example::file_of(example::identity(), 14);
  Edited file(right);
  const Bytes bytes = bytes_of(right);
  // The header with its first tensor behind the last.
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  std::string header(bytes.begin() + 8, bytes.begin() + 8 + static_cast<std::ptrdiff_t>(length));
  const std::size_t first = header.find("\"labels\""), next = header.find("\"gates\"");
  const std::string labels = header.substr(first, next - first - 1);
  header.erase(first, next - first);
  header.insert(header.rfind('}'), "," + labels);
  Bytes turned(bytes.begin(), bytes.begin() + 8);
  turned.insert(turned.end(), header.begin(), header.end());
  turned.insert(turned.end(), bytes.begin() + 8 + static_cast<std::ptrdiff_t>(length), bytes.end());
  CHECK(example::same(*read(turned, model_of(right)), right));
  // Names are not under the digest: with them two tensors would change places.
  std::swap(file.tensors[5].name, file.tensors[6].name);
  file.data.clear();
  file.rejected("tensor value_records: its data are where those of key_records must be");
}

TEST_CASE("state files: names, types and shapes") {
  const auto rejects = [](const std::string& what, const std::function<void(Edited&)>& change) {
    Edited file = edited();
    change(file);
    file.rejected(what);
  };
  using E = Edited;
  rejects("metadata format: 'axelram-memories'; a state file has axelram-memory",
          [](E& f) { f.metadata["format"] = "axelram-memories"; });
  rejects("metadata version: '2'; this program reads 1", [](E& f) { f.metadata["version"] = "2"; });
  rejects("no metadata 'format'; the file must state it", [](E& f) { f.metadata.erase("format"); });
  rejects("no metadata 'signs'; the file must state it", [](E& f) { f.metadata.erase("signs"); });
  rejects("no metadata 'content'; the file must state it",
          [](E& f) { f.metadata.erase("content"); });
  rejects(
      "metadata 'note': unknown; a state file has format, version, tokens, content, memory, "
      "numerics, model or signs",
      [](E& f) { f.metadata["note"] = ""; });
  rejects(
      "tensor logits: unknown; a state has labels, gates, positions, stamps, merged, "
      "key_records, value_records, masters or hidden",
      [](E& f) {
        f.tensors.push_back(f.tensors.back());
        f.tensors.back().name = "logits";
      });
  rejects(
      "no tensor 'hidden'; the file holds labels, gates, positions, stamps, merged, "
      "key_records, value_records, masters",
      [](E& f) { f.tensors.pop_back(); });
  rejects("tensor gates: dtype is I8; it must be U8",
          [](E& f) { f.tensors[1].type = files::DataType::i8; });
  rejects("tensor masters: shape is [2, 2, 32, 2]; axis 2 must have 2", [](E& f) {
    f.tensors[7].shape = {2, 2, 32, 2};
  });
  rejects("tensor key_records: shape is [2, 2, 14, 7]; axis 2 must have 7", [](E& f) {
    f.tensors[5].shape = {2, 2, 14, 7};
  });
  rejects("tensor hidden: shape is [5, 1]; it must have 1 dimension", [](E& f) {
    f.tensors[8].shape = {5, 1};
  });
  for (const char* const wrong :
       {"14", "00000000014", "000000001x", "-000000014", "+000000014", "2147483649", ""}) {
    CASE(wrong);
    rejects("metadata tokens: '" + std::string(wrong) +
                "'; ten digits, 0000000000 to 2147483648, are valid",
            [&](E& f) { f.metadata["tokens"] = wrong; });
  }
  rejects("metadata signs: 'no'; 64 hexadecimal digits, a SHA-256, are valid",
          [](E& f) { f.metadata["signs"] = "no"; });
  Edited file = edited();
  file.digest_again = false;
  file.metadata["content"] = std::string(64, '0');
  file.rejected("metadata content: '" + std::string(64, '0') +
                "'; it is not the SHA-256 of the data; was the file changed?");
  Edited empty = edited();
  for (std::size_t i = 0; i < 8; ++i) empty.tensors[i].shape[0] = 0, empty.tensors[i].bytes = 0;
  CHECK(empty.message(nullptr) == "f: tensor labels: shape is [0, 2, 7]; it must not be empty");
}

TEST_CASE("state files: parameters are read as they are written, and as nothing else") {
  const auto rejects = [](const char* key, const std::string& part, const std::string& other,
                          const std::string& what) {
    Edited file = edited();
    std::string& text = file.metadata[key];
    REQUIRE(test::contains(text, part));
    text.replace(text.find(part), part.size(), other);
    file.rejected("metadata " + std::string(what));
  };
  rejects("memory", "window=2", "window=02",
          "memory: 'window=02'; an integer in 0..65536 is valid");
  rejects("memory", "window=2", "window=-2",
          "memory: 'window=-2'; an integer in 0..65536 is valid");
  rejects("memory", "window=2", "window=", "memory: 'window='; an integer in 0..65536 is valid");
  rejects("memory", "window=2", "windows=2", "memory: 'windows=2'; window=VALUE must be here");
  rejects("memory", "window=2,", "", "memory: 'exact=3'; window=VALUE must be here");
  rejects("memory", ",store=records", "",
          "memory: 'summary_key=newest'; further values must follow");
  rejects("memory", "store=records", "store=records,",
          "memory: 'store=records'; it must be the last value");
  rejects("memory", "store=records", "store=f32",
          "memory and numerics: memory.store is f32; it has no state file, use fp16 or records");
  rejects("memory", "store=records", "store=rows",
          "memory: 'store=rows'; records, fp16 or f32 is valid");
  rejects("memory", "gate_exact=26", "gate_exact=256",
          "memory: 'gate_exact=256'; an integer in 0..255 is valid");
  rejects("memory", "blend=12", "blend=012",
          "memory: 'blend=012'; an integer in 0..255 or model is valid");
  rejects("memory", "novel=44290", "novel=131073",
          "memory: 'novel=131073'; an integer in 0..131072 is valid");
  rejects("memory", "novel=44290", "novel=56946",
          "memory and numerics: memory.match is 56945; it must lie in 56946..131072");
  rejects("memory", "window=2", "window=0",
          "memory and numerics: memory.window is 0; it must lie in 1..65536");
  rejects("memory", "window=2", "window=65535",
          "memory and numerics: memory.window + memory.exact + memory.summary is 65540; it must "
          "be at most 65536");
  rejects("memory", "sinks=1", "sinks=4",
          "memory and numerics: memory.sinks is 4; it must lie in 0..3, the value of "
          "memory.exact");
  rejects("numerics", "index_bits=3", "index_bits=5",
          "memory and numerics: index_bits is 5; it must lie in 2..4");
  rejects("numerics", "centroid_bits=8", "centroid_bits=9",
          "memory and numerics: centroid_bits is 9; with a memory it must be at most 8, so that "
          "similarities fit 64 bits");
  rejects("numerics", "erasure=keep", "erasure=interpolate",
          "memory and numerics: ecc.erasure is interpolate; with a memory it must be keep or "
          "zero: slots have no neighbours in time");
  Edited file = edited();
  std::string& numerics = file.metadata["numerics"];
  numerics.replace(numerics.find("none"), 4, "hamming85");
  CHECK(test::contains(file.message(nullptr), "hamming85"));
}

TEST_CASE("state files: what no tokens leave is rejected behind the digest too") {
  const auto rejects = [](const std::string& what, const std::function<void(Edited&)>& change) {
    Edited file = edited();
    change(file);
    file.rejected(what);
  };
  using E = Edited;
  const std::string first = "layer 0, head 0: ";
  rejects(first + "slot 3: label 9; 0 to 4 are labels",
          [](E& f) { f.set<std::uint8_t>("labels", 3, 9); });
  rejects("layer 1, head 0: slot 3: label 9; 0 to 4 are labels",
          [](E& f) { f.set<std::uint8_t>("labels", 17, 9); });
  rejects(first + "the memory: 1 slots are window; 2 are valid after these tokens",
          [](E& f) { f.set<std::uint8_t>("labels", 1, 0); });
  rejects(first + "the memory: two slots have position 7; a token is in one slot", [](E& f) {
    f.set<std::int32_t>("positions", 3, 7);
    f.set<std::int32_t>("stamps", 3, 7);
  });
  rejects(first + "slot 3: stamp 14; it lies between its position and the last token",
          [](E& f) { f.set<std::int32_t>("stamps", 3, 14); });
  rejects(first + "slot 3: merged 2; with its label it is 1",
          [](E& f) { f.set<std::int32_t>("merged", 3, 2); });
  rejects(first + "slot 6: position 12; with its label it lies in 13..14 after 15 tokens",
          [](E& f) { f.metadata["tokens"] = "0000000015"; });
  rejects(first + "slot 2: an element is not finite; NaN and infinity are not valid",
          [](E& f) { f.set<std::uint16_t>("masters", 5, 0x7E00); });
  rejects("tensor hidden: element 4: NaN or infinity; it must be finite",
          [](E& f) { f.set<std::uint32_t>("hidden", 4, 0x7FC00000); });

  // After 3 tokens: sww.... in layer 0, head 0.
  const auto early = [](const std::string& what, const std::function<void(Edited&)>& change) {
    Edited file(example::file_of(example::identity(), 3));
    change(file);
    file.rejected(what);
  };
  early(first + "slot 4: a row that its label does not have is not 0; it must be 0",
        [](E& f) { f.set<std::uint8_t>("value_records", 4 * 14 + 3, 1); });
  early(first + "slot 4: it is free, but not 0; gate, position, stamp and merged must be 0",
        [](E& f) { f.set<std::uint8_t>("gates", 4, 1); });
  early(
      "tensor masters: layer 0, head 1: elements behind those of the summaries are not 0; they "
      "must be 0",
      [](E& f) { f.set<std::uint16_t>("masters", 2 * 64 - 1, 1); });

  Edited unborn(example::file_of(example::identity(), 0));
  unborn.set<std::uint32_t>("hidden", 2, 0x80000000);
  unborn.rejected("tensor hidden: element 2 is not 0; it must be 0 before the first token");

  Edited rows(example::file_of(example::identity(MemoryStore::fp16), 14));
  rows.set<std::uint16_t>("keys", 9 * 32, 0xFC00);
  rows.rejected(
      "layer 0, head 1: slot 2: an element is not finite; NaN and infinity are not valid");
}
