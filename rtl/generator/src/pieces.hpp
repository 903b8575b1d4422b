#pragma once

#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/rtl/generator.hpp"
#include "axelram/rtl/layout.hpp"

namespace axelram::rtl {

/// What every piece of generated text is made from.
struct Design {
  const files::Config& config;
  Layout layout;
  CodebookRom rom;
};

std::string package_text(const Design& design);
std::string top_text(const Design& design);
std::string sign_rom_text(const Design& design);
std::string codebook_rom_text(const Design& design);
std::string center_rom_text(const Design& design);
std::string file_list_text(const std::vector<std::string>& sources);
std::string core_text(const Design& design, const std::vector<std::string>& sources);
std::string constraints_text(const Design& design);
std::string sidecar_text(const Design& design, const std::vector<std::string>& sources);

/// Frames generated SystemVerilog with strict nettypes.
std::string systemverilog(const std::string& body);

}  // namespace axelram::rtl
