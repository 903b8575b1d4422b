#pragma once

#include <string>
#include <vector>

#include "axelram/files/scratch_folder.hpp"
#include "axelram/report/line.hpp"
#include "axelram/report/netlist.hpp"
#include "axelram/rtl/generator.hpp"

namespace axelram::report {

/// Generated RTL, elaborated by Yosys in a folder of its own: `hierarchy; proc` as elaborated.il,
/// and behind `opt_expr; opt_clean` as counted.il. Takes up to half a minute.
class Elaboration {
 public:
  /// `subject` is what a message names. Throws files::EnvironmentError if Yosys is missing or
  /// fails.
  Elaboration(const std::vector<rtl::GeneratedFile>& generated, const std::string& subject);

  const std::string& folder() const { return folder_.path(); }
  Netlist netlist() const;  ///< of counted.il

 private:
  files::ScratchFolder folder_;
};

/// Puts X_in_netlist behind each line X_in_hardware and behind each line of bits that a netlist
/// shows, and a section with everything else that the netlist has, in place of such lines that
/// exist. Without a netlist they are n/a.
void add_netlist(const files::Config& config, const Netlist* netlist, std::vector<Line>* lines);

/// A sentence for each line of a netlist that is not what the closed form says, and for each kind
/// of arithmetic cells that belongs to no line.
std::vector<std::string> disagreements(const std::vector<Line>& lines);

}  // namespace axelram::report
