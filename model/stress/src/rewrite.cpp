#include "rewrite.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/new_folder.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/gguf/gguf.hpp"
#include "axelram/half.hpp"
#include "changes.hpp"

namespace axelram::stress {
namespace {

namespace fs = std::filesystem;
using files::Safetensors;
using files::Tensor;

/// The mapped files of a folder that read_checkpoint accepted.
std::vector<Safetensors> shards(const std::string& folder) {
  std::vector<Safetensors> all;
  const std::string whole = folder + "/model.safetensors";
  if (fs::exists(whole)) {
    all.push_back(Safetensors::map(whole));
    return all;
  }
  std::ifstream index(whole + ".index.json");
  std::set<std::string> names;
  const nlohmann::json json = nlohmann::json::parse(index);
  for (const nlohmann::json& place : json.at("weight_map")) names.insert(place.get<std::string>());
  for (const std::string& name : names) all.push_back(Safetensors::map(folder + "/" + name));
  return all;
}

/// A tensor as it will be, without data, and what it is made from.
struct Item {
  Tensor tensor;
  const Tensor* old;     ///< null: there was none
  const Change* change;  ///< null: stays
};

void set_type(files::DataType type, Tensor* tensor) {
  const std::size_t elements = tensor->elements();
  tensor->type = type;
  tensor->bytes = files::size_of(type) * elements;
}

/// The values in a type of 16 bits. Throws files::InputError for one beyond it.
std::vector<std::uint16_t> rounded(const std::vector<float>& values, ElementFormat format,
                                   const std::string& name) {
  std::vector<std::uint16_t> elements;
  for (const float value : values) {
    elements.push_back(double_to_element(double{value}, format));
    if (!is_finite(elements.back(), format))
      throw files::InputError("tensor " + files::printable(name) + ": " + std::to_string(value) +
                              " goes beyond " + axelram::name_of(format) +
                              ", the type of the model");
  }
  return elements;
}

void write_changed(const Item& item, files::AtomicFile* file) {
  const std::vector<float> values = item.change->apply(item.tensor.name, item.old);
  if (item.tensor.type == files::DataType::f32) {
    file->write(values.data(), item.tensor.bytes);
    return;
  }
  const ElementFormat format =
      item.tensor.type == files::DataType::bf16 ? ElementFormat::bf16 : ElementFormat::fp16;
  file->write(rounded(values, format, item.tensor.name).data(), item.tensor.bytes);
}

/// All tensors in their order in the file. Large elements first keep every one aligned, which the
/// readers of some libraries need.
std::vector<Item> items(const std::vector<Safetensors>& files,
                        const std::map<std::string, Change>& changes, bool keep_types) {
  std::vector<Item> all;
  std::set<std::string> names;
  for (const Safetensors& file : files)
    for (const Tensor& tensor : file.tensors()) {
      if (!names.insert(tensor.name).second) continue;
      const auto change = changes.find(tensor.name);
      Item item{tensor, &tensor, change == changes.end() ? nullptr : &change->second};
      if (item.change != nullptr && !keep_types) set_type(files::DataType::f32, &item.tensor);
      all.push_back(item);
    }
  for (const auto& [name, change] : changes) {
    if (names.count(name) != 0) continue;
    const std::size_t size = change.factors.size();
    all.push_back({{name, files::DataType::f32, {size}, nullptr, 4 * size}, nullptr, &change});
  }
  std::stable_sort(all.begin(), all.end(), [](const Item& a, const Item& b) {
    return files::size_of(a.tensor.type) > files::size_of(b.tensor.type);
  });
  return all;
}

/// One changed tensor at a time is in memory.
Written write_tensors(const std::string& path, const std::vector<Item>& all,
                      const files::Metadata& metadata) {
  std::vector<Tensor> tensors;
  for (const Item& item : all) tensors.push_back(item.tensor);
  Written written;
  files::AtomicFile file(path, false);
  file.write(files::safetensors_header(tensors, metadata));
  for (const Item& item : all) {
    ++written.tensors;
    written.bytes += item.tensor.bytes;
    if (item.change == nullptr) {
      file.write(item.old->data, item.old->bytes);
      continue;
    }
    ++written.changed;
    write_changed(item, &file);
  }
  file.commit();
  return written;
}

void copy_if_there(const std::string& from, const std::string& to) {
  if (!fs::exists(from)) return;
  std::ifstream file(from, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw files::EnvironmentError(files::printable(from) + ": cannot be read");
  files::write_file(to, content, false);
}

}  // namespace

void check_folder_model(const std::string& path, const std::string& command) {
  const std::string right =
      command +
      " rewrites Hugging Face folders (config.json and safetensors; llama, mistral, qwen2, "
      "qwen3, gemma3_text, gpt2)";
  if (!fs::exists(path))
    throw files::InputError(files::printable(path) + ": no such folder; " + right);
  if (gguf::Gguf::is_gguf(path))
    throw files::InputError(files::printable(path) + ": is a GGUF file; " + right +
                            "; convert it first: axelram convert");
  if (!fs::is_directory(path))
    throw files::InputError(files::printable(path) + ": is a file; " + right);
}

Written rewrite(const checkpoints::Checkpoint& checkpoint, const std::vector<LayerPlan>& plan,
                const Rewriting& how, const Output& output) {
  check_folder_model(checkpoint.path, how.kind.command);
  const std::vector<Safetensors> files = shards(checkpoint.path);
  const bool prefixed = std::any_of(files.begin(), files.end(), [](const Safetensors& file) {
    return file.find("transformer.wte.weight") != nullptr;
  });
  const std::map<std::string, Change> changed =
      changes(checkpoint, plan, prefixed ? "transformer." : "");

  files::NewFolder folder(how.kind, output);
  files::Metadata metadata = files.front().metadata();
  metadata[how.kind.key] = how.metadata;
  Written written;
  folder.fill([&] {
    written = write_tensors(folder.at("model.safetensors"), items(files, changed, how.keep_types),
                            metadata);
    copy_if_there(checkpoint.path + "/config.json", folder.at("config.json"));
    copy_if_there(checkpoint.path + "/tokenizer.json", folder.at("tokenizer.json"));
    files::write_file(folder.at(how.kind.record), how.record(folder.at("")), false);
  });
  folder.commit();
  return written;
}

}  // namespace axelram::stress
