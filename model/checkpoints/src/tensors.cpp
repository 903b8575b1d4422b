#include "tensors.hpp"

#include <cstring>
#include <filesystem>
#include <system_error>

#include "axelram/files/messages.hpp"
#include "gguf_names.hpp"
#include "json_object.hpp"

namespace axelram::checkpoints {
namespace {

using files::InputError;

constexpr char kWhole[] = "/model.safetensors";
constexpr char kIndex[] = "/model.safetensors.index.json";

/// The shard that holds a tensor, by the index. Shards lie beside it.
std::string shard_name(const JsonObject& places, const std::string& tensor) {
  std::string name = places.text(tensor);
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of(std::string("/\0", 2)) != std::string::npos)
    places.fail(tensor, "it must name a file in the same folder");
  return name;
}

bool exists(const std::string& path) {
  std::error_code unknown;  // of a path that cannot be followed
  return std::filesystem::exists(path, unknown);
}

std::string place_of(const std::string& origin, const std::string& name) {
  return origin + ": tensor " + files::printable(name) + ": ";
}

}  // namespace

Matrix matrix_of(const Stored& stored, std::size_t outputs, std::size_t inputs, bool transposed) {
  Matrix matrix{stored.data, *stored.type, outputs, inputs, transposed ? outputs : inputs,
                transposed};
  matrix.paired_head = stored.paired_head;
  return matrix;
}

std::vector<float> vector_of(const Stored& stored, std::size_t size) {
  std::vector<float> in_file(size);
  if (size % weights::values_per_block(*stored.type) != 0)
    throw InputError(stored.place + "no whole blocks of " + stored.type_name);
  weights::to_floats(*stored.type, stored.data, size, in_file.data());
  for (float& value : in_file) value -= stored.offset;
  if (stored.paired_head == 0) return in_file;
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = in_file[paired_place(i, stored.paired_head)];
  return values;
}

Tensors Tensors::of_folder(const std::string& folder) {
  Tensors tensors;
  tensors.origin_ = files::printable(folder);
  if (exists(folder + kWhole))
    tensors.add(*tensors.map(folder + kWhole));
  else if (exists(folder + kIndex))
    tensors.map_shards(folder);
  else
    throw InputError(tensors.origin_ +
                     ": neither model.safetensors nor model.safetensors.index.json is there; "
                     "convert other formats to safetensors first");
  return tensors;
}

const files::Safetensors* Tensors::map(const std::string& path) {
  const auto file = std::make_shared<const files::Safetensors>(files::Safetensors::map(path));
  files_.push_back(file);
  return file.get();
}

void Tensors::add(const files::Safetensors& file) {
  for (const files::Tensor& tensor : file.tensors()) {
    Stored stored;
    stored.place = place_of(file.origin(), tensor.name);
    stored.type = weights::type_of(tensor.type);
    stored.type_name = files::name_of(tensor.type);
    stored.shape = tensor.shape;
    stored.data = tensor.data;
    stored.bytes = tensor.bytes;
    if (!stored_.emplace(tensor.name, stored).second)
      throw InputError(stored.place + "it is in another shard as well; one shard must hold it");
  }
}

void Tensors::map_shards(const std::string& folder) {
  const JsonObject places = JsonObject::read(folder + kIndex).object("weight_map");
  std::map<std::string, const files::Safetensors*> shards;
  for (const std::string& tensor : places.keys()) {
    const std::string name = shard_name(places, tensor);
    if (shards.count(name) == 0) shards[name] = map(folder + "/" + name);
    if (shards[name]->find(tensor) == nullptr)
      places.fail(tensor, "that file has no such tensor; is a shard of another checkpoint there?");
  }
  for (const auto& [name, shard] : shards) add(*shard);
}

Tensors Tensors::of_gguf(std::shared_ptr<const gguf::Gguf> file, const std::string& family,
                         std::size_t head_dim) {
  Tensors tensors;
  tensors.origin_ = file->origin();
  tensors.configuration_ = "the file's metadata";
  for (const gguf::Tensor& tensor : file->tensors()) {
    const NameInFolder name = name_in_folder(family, tensor.name);
    Stored stored;
    stored.place = place_of(file->origin(), tensor.name);
    stored.type = tensor.type;
    stored.type_name = weights::name_of(tensor.type);
    stored.shape = tensor.shape;
    stored.data = tensor.data;
    stored.bytes = tensor.bytes;
    stored.paired_head = name.paired ? head_dim : 0;
    stored.offset = name.offset;
    stored.stored_by_output = name.stored_by_output;
    if (!tensors.stored_.emplace(name.name, stored).second)
      throw InputError(stored.place + "another tensor stands for the same weight; one must");
  }
  tensors.files_.push_back(std::move(file));
  return tensors;
}

const Stored& Tensors::take(const std::string& name, const files::Shape& shape) {
  used_.insert(name);
  const auto found = stored_.find(name);
  if (found == stored_.end())
    throw InputError(origin_ + ": tensor " + files::printable(name) + " is missing; " +
                     configuration_ + " asks for it, with shape " + files::to_string(shape));
  const Stored& stored = found->second;
  if (!stored.type)
    throw InputError(stored.place + "dtype is " + stored.type_name +
                     "; weights must be F32, F16 or BF16");
  if (stored.shape != shape)
    throw InputError(stored.place + "shape is " + files::printable(files::to_string(stored.shape)) +
                     "; " + configuration_ + " makes it " + files::to_string(shape));
  return stored;
}

Matrix Tensors::matrix(const std::string& name, std::size_t outputs, std::size_t inputs,
                       bool transposed) {
  const auto place = stored_.find(name);
  if (place != stored_.end() && place->second.stored_by_output) transposed = false;
  return matrix_of(
      take(name, transposed ? files::Shape{inputs, outputs} : files::Shape{outputs, inputs}),
      outputs, inputs, transposed);
}

std::vector<float> Tensors::vector(const std::string& name, std::size_t size) {
  return vector_of(take(name, {size}), size);
}

void Tensors::check_all_used(const std::string& family) const {
  for (const auto& [name, stored] : stored_)
    if (used_.count(name) == 0 && ignored_.count(name) == 0)
      throw InputError(stored.place + "no weight of the " + family + " model that " +
                       configuration_ + " describes");
}

Matrix head_of(const Matrix& embedding, bool tied, Tensors* tensors) {
  const std::string name = "lm_head.weight";
  if (tied && !tensors->has(name)) return embedding;
  const Matrix head = tensors->matrix(name, embedding.outputs, embedding.inputs);
  const std::size_t bytes = weights::bytes_of(head.type, head.outputs * head.stride);
  const bool same =
      head.type == embedding.type && std::memcmp(head.data, embedding.data, bytes) == 0;
  return tied && same ? embedding : head;
}

}  // namespace axelram::checkpoints
