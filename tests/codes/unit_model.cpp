#include "unit_model.hpp"

#include <dlfcn.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "axelram/sim/build.hpp"

namespace axelram {
namespace {

std::string read_source(const std::string& name) {
  std::ifstream in(std::string(AXELRAM_SOURCE) + "/tests/codes/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

UnitModel::UnitModel(const std::vector<rtl::GeneratedFile>& files) {
  const sim::ModelSource source{files, "axelram_code_unit", "",
                                read_source("unit_io.hpp") + read_source("harness/code_unit.cpp")};
  library_ = dlopen(sim::build_library(source, {}).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  run_ = reinterpret_cast<UnitRun>(dlsym(library_, "code_unit_run"));
  if (run_ == nullptr) throw std::runtime_error(dlerror());
}

UnitModel::~UnitModel() { dlclose(library_); }

void Comparison::flush() {
  const std::vector<UnitOutput> outputs = model_.run(inputs_);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const UnitOutput& out = outputs[i];
    const Word codeword = encode_ref(code_, inputs_[i].data);
    const Decoded decoded = decode_ref(code_, received_[i]);
    counts_.wrong_encoded += !out.encode_valid || !(out.encoded == to_bits(code_, codeword));
    counts_.wrong_decoded += !out.decode_valid || !(out.decoded == to_bits(code_, decoded.word)) ||
                             out.status != static_cast<std::uint8_t>(decoded.status);
  }
  counts_.words += outputs.size();
  inputs_.clear();
  received_.clear();
}

}  // namespace axelram
