#include "axelram/commands/generate.hpp"

#include "axelram/rtl/generator.hpp"
#include "json.hpp"

namespace axelram::commands {

GenerateResult generate(const GenerateOptions& options) {
  const files::Config config = files::find_config(options.config);
  const std::vector<rtl::GeneratedFile> generated = rtl::generate(config);
  rtl::write_generated(generated, options.directory, options.force);
  GenerateResult result{config.name, options.directory, {}};
  for (const rtl::GeneratedFile& file : generated) result.files.push_back(file.path);
  return result;
}

std::string to_json(const GenerateResult& result) {
  return text_of({{"configuration", result.configuration},
                  {"directory", result.directory},
                  {"files", result.files}});
}

}  // namespace axelram::commands
