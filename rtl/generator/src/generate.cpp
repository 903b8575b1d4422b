#include <algorithm>

#include "axelram/files/errors.hpp"
#include "axelram/files/safetensors.hpp"
#include "generator_internal.hpp"

namespace axelram::rtl {
namespace {

/// Names of all modules, packages first, instances before their parents.
std::vector<std::string> modules_in_order() {
  std::vector<std::string> order = {"axelram_pkg",      "axelram_code_pkg", "axelram_pipeline",
                                    "axelram_encoder",  "axelram_syndrome", "axelram_correction",
                                    "axelram_golay_rom"};
  for (const std::string& decoder : decoder_modules()) order.push_back(decoder);
  for (const char* name : {"axelram_word_encoder",
                           "axelram_word_decoder",
                           "axelram_sign_rom",
                           "axelram_codebook_rom",
                           "axelram_center_rom",
                           "axelram_delay_line",
                           "axelram_adder_tree",
                           "axelram_square_sum",
                           "axelram_square_root",
                           "axelram_float_round",
                           "axelram_align",
                           "axelram_center",
                           "axelram_sign_flip",
                           "axelram_hadamard",
                           "axelram_norm",
                           "axelram_row_delay",
                           "axelram_rotate",
                           "axelram_quantizer",
                           "axelram_record",
                           "axelram_sram_1r1w",
                           "axelram_key_store",
                           "axelram_record_encoder",
                           "axelram_record_decoder",
                           "axelram_inject",
                           "axelram_code_registers",
                           "axelram_scrubber",
                           "axelram_code_status",
                           "axelram_interpolate",
                           "axelram_protected_store",
                           "axelram_query_rounding",
                           "axelram_score_table",
                           "axelram_score",
                           "axelram_score_fifo",
                           "axelram_lookup",
                           "axelram_status",
                           "axelram_control",
                           "axelram_macro",
                           "axelram_top"})
    order.emplace_back(name);
  return order;
}

/// Paths of `files` in that order.
std::vector<std::string> sources_in_order(const std::vector<GeneratedFile>& files) {
  std::vector<std::string> sources;
  for (const std::string& name : modules_in_order()) {
    const std::string path = "rtl/" + name + ".sv";
    const auto named = [&](const GeneratedFile& file) { return file.path == path; };
    if (std::any_of(files.begin(), files.end(), named)) sources.push_back(path);
  }
  for (const GeneratedFile& file : files)
    if (std::find(sources.begin(), sources.end(), file.path) == sources.end())
      throw std::logic_error("the order of sources lacks " + file.path);
  return sources;
}

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
  if (!own.rotation.signs_file.empty() || !own.center.empty()) {
    // The files have one row each, so seeds and rows of larger files are not needed.
    own.rotation = {files::Rotation::Source::signs_file, 0, 0, 0, "signs.safetensors", ""};
    generated->push_back(
        tensor_file("signs", files::DataType::i8, own.signs.data(), own.signs.size()));
  }
  if (!own.center.empty()) {
    own.rotation.center_file = "center.safetensors";
    const bool fp16 = own.parameters.element_format == ElementFormat::fp16;
    generated->push_back(tensor_file("center", fp16 ? files::DataType::f16 : files::DataType::bf16,
                                     own.center.data(), own.center.size()));
  }
  generated->push_back({"config.yaml", files::canonical_yaml(own)});
}

}  // namespace

std::vector<GeneratedFile> generate(const files::Config& config) {
  const Design design{config, Layout(config), codebook_rom(config.parameters)};

  std::vector<GeneratedFile> files;
  for (const Module& module : modules())
    if (!is_code_module(module.name))
      files.push_back({"rtl/" + std::string(module.name) + ".sv", module.text});
  if (design.layout.code)
    for (const std::string& name : macro_code_modules(*design.layout.code, config.ecc.decoder))
      files.push_back({"rtl/" + name + ".sv", module_text(name)});
  files.push_back({"rtl/axelram_pkg.sv", package_text(design)});
  files.push_back({"rtl/axelram_sign_rom.sv", sign_rom_text(design)});
  files.push_back({"rtl/axelram_codebook_rom.sv", codebook_rom_text(design)});
  files.push_back({"rtl/axelram_center_rom.sv", center_rom_text(design)});
  files.push_back({"rtl/axelram_top.sv", top_text(design)});
  if (design.layout.code)
    for (GeneratedFile& file :
         code_files(*design.layout.code, config.ecc.decoder, config.ecc.stages))
      files.push_back(std::move(file));

  const std::vector<std::string> sources = sources_in_order(files);
  files.push_back({"axelram.f", file_list_text(sources)});
  files.push_back({"axelram.core", core_text(design, sources)});
  files.push_back({"axelram.sdc", constraints_text(design)});
  if (design.layout.code)
    files.push_back({"axelram_code.h", code_constants_text(*design.layout.code)});
  files.push_back({"axelram.json", manifest_text(design, sources)});
  add_configuration(config, &files);
  std::sort(files.begin(), files.end(),
            [](const GeneratedFile& a, const GeneratedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace axelram::rtl
