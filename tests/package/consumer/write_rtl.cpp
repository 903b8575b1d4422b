// Generates the RTL of a configuration and names its files.
#include <axelram/files/config.hpp>
#include <axelram/rtl/generator.hpp>
#include <cstdio>

int main() {
  const auto config = axelram::files::parse_config("macro: {head_dim: 64}", "example", ".");
  const auto files = axelram::rtl::generate(config);
  for (const auto& file : files)
    std::printf("%s, %zu bytes\n", file.path.c_str(), file.text.size());
  return files.empty() ? 1 : 0;
}
