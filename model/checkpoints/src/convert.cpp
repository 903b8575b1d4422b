#include "axelram/checkpoints/convert.hpp"

#include <filesystem>
#include <utility>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "folder_config.hpp"
#include "folder_weights.hpp"

namespace axelram::checkpoints {

struct Conversion::Parts {
  std::string path;
  GgufModel model;
  nlohmann::json config;
  std::vector<FolderTensor> tensors;  ///< made from the model's
  std::map<std::string, std::size_t> types;
  std::uint64_t bytes = 0;
};

namespace {

using nlohmann::json;

constexpr char kConvertRecord[] = "convert.json", kConvertKey[] = "axelram_convert";

files::FolderKind conversions() {
  return {"convert",
          {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
           kConvertRecord},
          kConvertRecord,
          kConvertKey};
}

GgufModel read_model(const std::string& path) {
  std::error_code unknown;  // of a path that cannot be followed: opening it says why
  if (std::filesystem::is_directory(path, unknown))
    throw files::InputError(files::printable(path) +
                            ": is a folder; convert takes a GGUF file, and a Hugging Face folder "
                            "needs no conversion");
  return read_gguf(path);
}

/// Names of files are not necessarily UTF-8.
std::string document(const json& value) {
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

Conversion::Conversion(const std::string& path) {
  auto parts = std::make_unique<Parts>(Parts{path, read_model(path), {}, {}, {}});
  parts->config = folder_config(parts->model);
  parts->tensors = folder_tensors(parts->model.config.text("model_type"), parts->model.tensors);
  for (const gguf::Tensor& tensor : parts->model.file->tensors())
    ++parts->types[weights::name_of(tensor.type)];
  for (const FolderTensor& one : parts->tensors) parts->bytes += one.tensor.bytes;
  parts_ = std::move(parts);
}

Conversion::~Conversion() = default;

const Architecture& Conversion::architecture() const {
  return parts_->model.checkpoint.architecture;
}
const std::map<std::string, std::size_t>& Conversion::types() const { return parts_->types; }
std::size_t Conversion::tensors() const { return parts_->tensors.size(); }
std::uint64_t Conversion::bytes() const { return parts_->bytes; }

void Conversion::check(const files::OutputFolder& output) {
  files::check_folder(conversions(), output);
}

void Conversion::write(const TokenizerTexts& tokenizer, const files::OutputFolder& output,
                       const std::function<void(std::size_t)>& told) const {
  const json record = {
      {kConvertKey, 1},
      {"source", parts_->path},
      {"types", parts_->types},
      {"matrices", "F16"},
      {"vectors", "F32"},
      {"no_tokenizer", tokenizer.missing.empty() ? json() : json(tokenizer.missing)}};
  files::NewFolder folder(conversions(), output);
  folder.fill([&] {
    const auto put = [&](const char* name, const std::string& text) {
      files::write_file(folder.at(name), text, false);
    };
    put("config.json", document(parts_->config));
    if (!tokenizer.tokenizer.empty()) {
      put("tokenizer.json", tokenizer.tokenizer);
      put("tokenizer_config.json", tokenizer.config);
    }
    put(kConvertRecord, document(record));
    write_folder_tensors(folder.at("model.safetensors"), parts_->tensors, told);
  });
  folder.commit();
}

}  // namespace axelram::checkpoints
