#include "axelram/files/config.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/rtl/generator.hpp"
#include "check.hpp"

using namespace axelram;

// Hardware without exponents would compute other scores than golden (bit-contract.md#exponents).
TEST_CASE("a macro with exponents is refused") {
  files::Config config = files::parse_config("macro: {head_dim: 32}", "x.yaml", "");
  CHECK_FALSE(rtl::generate(config).empty());
  config.parameters.balanced = true;
  config.head_rotation.balance.assign(32, 1);
  CHECK_THROWS_WITH_AS(rtl::generate(config),
                       "configuration x: rotation.balance: the generated hardware applies no "
                       "exponents; use engine golden or fast, or leave the key out",
                       files::InputError);
}
