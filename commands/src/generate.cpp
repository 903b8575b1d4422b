#include "axelram/commands/generate.hpp"

#include <filesystem>

#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"
#include "json.hpp"
#include "outputs.hpp"

namespace axelram::commands {

GenerateResult generate(const GenerateOptions& options) {
  const ConfigFile file = read_macro_config(options.config);
  const files::Config& config = file.config;
  rtl::check_core_name(config);
  const std::vector<rtl::GeneratedFile> generated =
      options.observe ? rtl::generate_observed(config) : rtl::generate(config);
  Outputs outputs(true, {});
  outputs.protect(file);
  for (const rtl::GeneratedFile& one : generated)
    outputs.reject_input((std::filesystem::path(options.directory) / one.path).string());
  check_directory(options.directory, true);  // files of the same content may be there
  rtl::write_generated(generated, options.directory, options.force);
  GenerateResult result{config.name, rtl::prefix(config) + "_top", options.directory, {}};
  for (const rtl::GeneratedFile& one : generated) result.files.push_back(one.path);
  return result;
}

std::string to_json(const GenerateResult& result) {
  return text_of({{"configuration", result.configuration},
                  {"top", result.top},
                  {"directory", result.directory},
                  {"files", result.files}});
}

}  // namespace axelram::commands
