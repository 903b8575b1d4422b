#include <algorithm>

#include "axelram/files/errors.hpp"
#include "axelram/files/safetensors.hpp"
#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

GeneratedFile tensor_file(const std::string& name, files::DataType type, const void* data,
                          std::size_t elements) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  const std::size_t size = elements * files::size_of(type);
  const files::Tensor tensor{name, type, {1, 1, elements}, bytes, size};
  return {name + ".safetensors", files::safetensors_header({tensor}, {}) +
                                     std::string(reinterpret_cast<const char*>(bytes), size)};
}

/// Adds config.yaml and the tensors that it names, so that the directory is self-contained.
void add_configuration(const files::Config& config, std::vector<GeneratedFile>* generated) {
  files::Config own = config;
  own.named = true;
  if (!own.rotation.signs_file.empty() || !own.center.empty()) {
    // The files have one row each, so seeds and rows of larger files are not needed.
    own.rotation = {files::Rotation::Source::signs_file, 0, 0, 0, "signs.safetensors", ""};
    generated->push_back(tensor_file("signs", files::DataType::i8, own.head_rotation.signs.data(),
                                     own.head_rotation.signs.size()));
  }
  if (!own.center.empty()) {
    own.rotation.center_file = "center.safetensors";
    const bool fp16 = own.parameters.element_format == ElementFormat::fp16;
    generated->push_back(tensor_file("center", fp16 ? files::DataType::f16 : files::DataType::bf16,
                                     own.center.data(), own.center.size()));
  }
  generated->push_back({"config.yaml", files::canonical_yaml(own)});
}

std::vector<GeneratedFile> generate(const files::Config& config, bool observe) {
  files::require_one_part(config.parameters, "the generator");
  const Design design{config, Layout(config), codebook_rom(config.parameters), observe,
                      prefix(config)};
  const auto own = [&](const char* name) { return "rtl/" + design.prefix + name; };

  std::vector<GeneratedFile> files = common_files();
  const std::string common_core = common_core_text(files);
  files.push_back({own("_pkg.sv"), package_text(design)});
  files.push_back({own("_sign_rom.sv"), sign_rom_text(design)});
  files.push_back({own("_codebook_rom.sv"), codebook_rom_text(design)});
  files.push_back({own("_center_rom.sv"), center_rom_text(design)});
  files.push_back({own("_top.sv"), top_text(design)});

  const CodeDecoder* decoder =
      design.layout.code ? &decoder_of(*design.layout.code, config.ecc.decoder) : nullptr;
  const std::vector<std::string> sources =
      sources_of(design.prefix + "_top", files, modules_without(decoder));
  files.push_back({"axelram.f", file_list_text(sources)});
  files.push_back({"axelram.core", core_text(design, sources)});
  files.push_back({"axelram_common.core", common_core});
  files.push_back({"axelram.sdc", constraints_text(design)});
  files.push_back({"README.md", readme_text(design)});
  for (GeneratedFile& file : test_bench_files(design)) files.push_back(std::move(file));
  if (design.layout.code)
    files.push_back(
        {design.prefix + "_code.h", code_constants_text(*design.layout.code, design.prefix)});
  files.push_back({"axelram.json", manifest_text(design, sources)});
  add_configuration(config, &files);
  std::sort(files.begin(), files.end(),
            [](const GeneratedFile& a, const GeneratedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace

std::vector<GeneratedFile> generate(const files::Config& config) { return generate(config, false); }

std::vector<GeneratedFile> generate_observed(const files::Config& config) {
  return generate(config, true);
}

}  // namespace axelram::rtl
