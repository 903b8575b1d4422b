#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "files/support.hpp"

namespace test {

/// A matrix of floats, [outputs, inputs], that lives as long as the checkpoint.
inline axelram::checkpoints::Matrix held_matrix(axelram::checkpoints::Checkpoint* checkpoint,
                                                std::size_t outputs, std::vector<float> values) {
  const auto held = std::make_shared<const std::vector<float>>(std::move(values));
  checkpoint->files.push_back(held);
  const std::size_t inputs = held->size() / outputs;
  return {reinterpret_cast<const std::uint8_t*>(held->data()), axelram::weights::Type::f32, outputs,
          inputs, inputs};
}

/// A copy of a reference checkpoint, for a test to spoil.
class CheckpointCopy {
 public:
  explicit CheckpointCopy(const std::string& name) {
    for (const auto& entry : std::filesystem::directory_iterator(
             project() / "tests/model/transformer/reference" / name))
      if (entry.path().filename() != "expected.safetensors")
        put(folder_ / entry.path().filename().string(), content(entry.path().string()));
    config_ = nlohmann::json::parse(content(folder_ / "config.json"));
  }

  const std::string& path() const { return folder_.path(); }
  std::string operator/(const std::string& name) const { return folder_ / name; }

  /// config.json with other keys; a key that is null is left out.
  void change(const nlohmann::json& keys) const {
    nlohmann::json changed = config_;
    changed.merge_patch(keys);
    put(folder_ / "config.json", changed.dump());
  }

  /// The tensors of model.safetensors, changed by edit(vector of tensors).
  template <class Edit>
  void edit(Edit&& edit) const {
    const auto file = axelram::files::Safetensors::read(folder_ / "model.safetensors");
    std::vector<axelram::files::Tensor> tensors = file.tensors();
    edit(tensors);
    axelram::files::write_safetensors(folder_ / "model.safetensors", tensors, {}, true);
  }

  axelram::checkpoints::Checkpoint read() const {
    return axelram::checkpoints::read_checkpoint(path());
  }

  /// The line that reading it fails with, the folder's name left out; "" where it succeeds.
  std::string failure() const {
    std::string line = message([&] { read(); });
    for (std::size_t at; (at = line.find(path() + "/")) != std::string::npos;)
      line.erase(at, path().size() + 1);
    return line;
  }

 private:
  TemporaryFolder folder_;
  nlohmann::json config_;
};

inline axelram::files::Tensor& tensor(std::vector<axelram::files::Tensor>& tensors,
                                      const std::string& name) {
  for (axelram::files::Tensor& each : tensors)
    if (each.name == name) return each;
  REQUIRE_MESSAGE(false, "no tensor " << name);
  return tensors.front();
}

/// Reads all that a checkpoint points to; whatever lies outside of the files shows.
inline double sum_of_all(const axelram::checkpoints::Checkpoint& c) {
  double sum = 0;
  const auto add = [&](const axelram::checkpoints::Matrix& matrix) {
    std::vector<float> row(matrix.inputs);
    for (std::size_t o = 0; o < matrix.outputs; ++o) {
      matrix.rows(o, 1, row.data());
      for (const float value : row) sum += value;
    }
  };
  for (const auto* matrix : {&c.embedding, &c.positions, &c.head}) add(*matrix);
  for (const auto& layer : c.layers)
    for (const auto* matrix :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
      add(*matrix);
  return sum;
}

}  // namespace test
