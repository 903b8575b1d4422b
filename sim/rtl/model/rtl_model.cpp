#include "axelram/sim/rtl_model.hpp"

#include <dlfcn.h>

#include <cstring>
#include <fstream>
#include <stdexcept>

#include "axelram/files/errors.hpp"
#include "axelram/files/scratch_folder.hpp"

namespace axelram::sim {

std::uint32_t PortValue::field(int low, int width) const {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  if (bits_ <= 64) return static_cast<std::uint32_t>((get() >> low) & mask);
  const auto* words = static_cast<const std::uint32_t*>(data_);
  const int word = low / 32;
  std::uint64_t pair = words[word];
  if ((word + 1) * 32 < bits_) pair |= std::uint64_t{words[word + 1]} << 32;
  return static_cast<std::uint32_t>((pair >> (low % 32)) & mask);
}

std::int32_t PortValue::signed_field(int low, int width) const {
  const std::uint32_t value = field(low, width);
  const std::uint32_t sign = std::uint32_t{1} << (width - 1);
  return static_cast<std::int32_t>((value ^ sign) - sign);
}

std::int64_t PortValue::get_signed() const {
  const std::uint64_t sign = std::uint64_t{1} << (bits_ - 1);
  return static_cast<std::int64_t>((get() ^ sign) - sign);
}

void PortValue::get_bytes(void* bytes) const {
  std::memcpy(bytes, data_, static_cast<std::size_t>(bits_ + 7) / 8);
}

void PortValue::set_bytes(const void* bytes) {
  std::memcpy(data_, bytes, static_cast<std::size_t>(bits_ + 7) / 8);
}

RtlModel::RtlModel(const std::string& library, unsigned seed) {
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    // The loader's words for a file system that is mounted noexec.
    const std::string why = dlerror();
    const bool noexec = why.find("failed to map segment") != std::string::npos;
    throw files::EnvironmentError(library + ": cannot be loaded (" + why + "); " +
                                  (noexec
                                       ? "set AXELRAM_CACHE to a folder from which programs may run"
                                       : "delete the model cache and run again"));
  }
  handle_ = reinterpret_cast<void* (*)(unsigned)>(symbol("axelram_model_new"))(seed);
  peek_ = reinterpret_cast<void (*)(void*)>(symbol("axelram_model_peek"));
  settle_ = reinterpret_cast<void (*)(void*)>(symbol("axelram_model_settle"));
  failure_ = reinterpret_cast<const char* (*)(void*)>(symbol("axelram_model_failure"));
  edge_ = reinterpret_cast<void (*)(void*)>(symbol("axelram_model_edge"));
}

RtlModel::~RtlModel() {
  reinterpret_cast<void (*)(void*)>(symbol("axelram_model_delete"))(handle_);
  dlclose(library_);
}

void* RtlModel::symbol(const char* name) {
  void* found = dlsym(library_, name);
  if (found == nullptr)
    throw files::EnvironmentError(std::string("the Verilated model lacks ") + name +
                                  "; delete the model cache and run again");
  return found;
}

PortValue RtlModel::port(const std::string& name, int bits) {
  const auto find = reinterpret_cast<void* (*)(void*, const char*)>(symbol("axelram_model_port"));
  void* data = find(handle_, name.c_str());
  if (data == nullptr) throw std::logic_error("no port " + name);
  return {data, bits};
}

std::vector<std::uint8_t> RtlModel::stored(unsigned address, std::size_t bytes) {
  std::vector<std::uint8_t> stored(bytes);
  reinterpret_cast<void (*)(void*, unsigned, std::uint8_t*, unsigned long)>(
      symbol("axelram_model_stored"))(handle_, address, stored.data(), bytes);
  return stored;
}

std::vector<std::uint8_t> RtlModel::copy_word(unsigned address, std::size_t bytes) {
  std::vector<std::uint8_t> word(bytes);
  reinterpret_cast<void (*)(void*, unsigned, std::uint8_t*, unsigned long)>(
      symbol("axelram_model_copy_word"))(handle_, address, word.data(), bytes);
  return word;
}

int RtlModel::copy_exponent(unsigned place) {
  const unsigned bits = reinterpret_cast<unsigned (*)(void*, unsigned)>(
      symbol("axelram_model_copy_exponent"))(handle_, place);
  return static_cast<int>((bits ^ 0x800U) - 0x800U);
}

std::map<std::string, std::uint64_t> RtlModel::covers() {
  const files::ScratchFolder scratch;
  const std::string path = scratch.file("covers");
  const auto write = reinterpret_cast<bool (*)(void*, const char*)>(symbol("axelram_model_covers"));
  std::map<std::string, std::uint64_t> hits;
  if (!write(handle_, path.c_str())) return hits;
  // A line is C '...\1o\2LABEL\1...' HITS: keys and values of one cover of one instance.
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::size_t label = line.find("\1o\2"), end = line.rfind("' ");
    if (label == std::string::npos || end == std::string::npos) continue;
    const std::size_t first = label + 3;
    hits[line.substr(first, line.find('\1', first) - first)] += std::stoull(line.substr(end + 2));
  }
  return hits;
}

void RtlModel::start_waves(const std::string& path) {
  const auto start = reinterpret_cast<bool (*)(void*, const char*)>(symbol("axelram_model_waves"));
  if (!start(handle_, path.c_str()))
    throw files::EnvironmentError(path + ": no waveform can be written there");
}

}  // namespace axelram::sim
