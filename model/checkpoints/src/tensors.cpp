#include "tensors.hpp"

#include <filesystem>
#include <map>
#include <system_error>

#include "axelram/files/messages.hpp"
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

}  // namespace

Tensors::Tensors(const std::string& folder) : folder_(folder) {
  if (exists(folder + kWhole))
    map(folder + kWhole);
  else if (exists(folder + kIndex))
    map_shards();
  else
    throw InputError(files::printable(folder) +
                     ": neither model.safetensors nor model.safetensors.index.json is there; "
                     "convert other formats to safetensors first");
}

const files::Safetensors* Tensors::map(const std::string& path) {
  shards_.push_back(std::make_shared<const files::Safetensors>(files::Safetensors::map(path)));
  return shards_.back().get();
}

void Tensors::map_shards() {
  const JsonObject places = JsonObject::read(folder_ + kIndex).object("weight_map");
  std::map<std::string, const files::Safetensors*> shards;
  for (const std::string& tensor : places.keys()) {
    const std::string name = shard_name(places, tensor);
    if (shards.count(name) == 0) shards[name] = map(folder_ + "/" + name);
    if (shards[name]->find(tensor) == nullptr)
      places.fail(tensor, "that file has no such tensor; is a shard of another checkpoint there?");
  }
  std::map<std::string, std::string> holders;
  for (const auto& shard : shards_)
    for (const files::Tensor& tensor : shard->tensors()) {
      const auto [holder, first] = holders.emplace(tensor.name, shard->origin());
      if (!first)
        throw InputError(shard->origin() + ": tensor " + files::printable(tensor.name) +
                         ": it is in " + holder->second + " as well; one shard must hold it");
    }
}

const files::Tensor* Tensors::find(const std::string& name) const {
  for (const auto& shard : shards_)
    if (const files::Tensor* tensor = shard->find(name)) return tensor;
  return nullptr;
}

Tensors::Found Tensors::take(const std::string& name, const files::Shape& shape) {
  used_.insert(name);
  for (const auto& shard : shards_) {
    const files::Tensor* tensor = shard->find(name);
    if (tensor == nullptr) continue;
    const std::string where = shard->origin() + ": tensor " + files::printable(name) + ": ";
    if (tensor->type != files::DataType::f32 && tensor->type != files::DataType::f16 &&
        tensor->type != files::DataType::bf16)
      throw InputError(where + "dtype is " + files::name_of(tensor->type) +
                       "; weights must be F32, F16 or BF16");
    if (tensor->shape != shape)
      throw InputError(where + "shape is " + files::printable(files::to_string(tensor->shape)) +
                       "; config.json makes it " + files::to_string(shape));
    return {shard.get(), tensor};
  }
  throw InputError(files::printable(folder_) + ": tensor " + files::printable(name) +
                   " is missing; config.json asks for it, with shape " + files::to_string(shape));
}

Matrix Tensors::matrix(const std::string& name, std::size_t outputs, std::size_t inputs,
                       bool transposed) {
  const files::Shape shape =
      transposed ? files::Shape{inputs, outputs} : files::Shape{outputs, inputs};
  const files::Tensor& tensor = *take(name, shape).tensor;
  return {tensor.data, tensor.type, outputs, inputs, transposed ? outputs : inputs, transposed};
}

std::vector<float> Tensors::vector(const std::string& name, std::size_t size) {
  const files::Tensor& tensor = *take(name, {size}).tensor;
  std::vector<float> values(size);
  to_floats(tensor.type, tensor.data, size, values.data());
  return values;
}

void Tensors::check_all_used(const std::string& family) const {
  for (const auto& shard : shards_)
    for (const files::Tensor& tensor : shard->tensors())
      if (used_.count(tensor.name) == 0)
        throw InputError(shard->origin() + ": tensor " + files::printable(tensor.name) +
                         ": no weight of the " + family + " model that config.json describes");
}

std::vector<std::shared_ptr<const void>> Tensors::files() const {
  return {shards_.begin(), shards_.end()};
}

}  // namespace axelram::checkpoints
