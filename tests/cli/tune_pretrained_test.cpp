#include "cli/program.hpp"
#include "needs.hpp"

using namespace test;

namespace {

/// The recipe for keys of 3 bits, of few windows of a text that comes with the project.
Json recipe_of(const TempDir& axelram, const std::string& model) {
  REQUIRE(axelram("tune " + model + " " + kSource +
                  "/docs/reference/bit-contract.md --part keys --samples 6 --windows 1 --window "
                  "128 -o d"));
  REQUIRE(axelram("perplexity " + model + " " + kSource +
                  "/README.md --cache tuned:d --window 128 --separate --tokens 256 --no-noise "
                  "--json j"));
  Json recipe = axelram.json("d/recipe.json");
  recipe["elsewhere"] = axelram.json("j")["kl"];
  return recipe;
}

double kl_of(const Json& recipe, const std::string& name) {
  for (const Json& one : recipe["candidates"])
    if (one["name"] == name) return one["scores"]["kl"];
  return -1;
}

}  // namespace

TEST_CASE("tune: Qwen2.5-Coder-0.5B needs balance in layer 0" * needs_qwen05) {
  const TempDir axelram;
  const Json recipe = recipe_of(axelram, "qwen2.5-coder-0.5b");
  for (std::size_t i = 0; i < recipe["heads"].size(); ++i)
    CHECK_AT(i, recipe["heads"][i]["balanced"] == (i < 2));
  CHECK(kl_of(recipe, "keys-3-plain") > 1);
  CHECK(kl_of(recipe, "keys-3-positions-feedback") > 3 * kl_of(recipe, recipe["chosen"]));
  CHECK(kl_of(recipe, recipe["chosen"]) < 0.01);
  CHECK(recipe["elsewhere"].get<double>() < 0.015);
}

TEST_CASE("tune: Qwen2.5-Coder-1.5B needs a center and no balance" * needs_qwen15) {
  const TempDir axelram;
  const Json recipe = recipe_of(axelram, "qwen2.5-coder-1.5b");
  for (const Json& head : recipe["heads"]) CHECK_AT(head["layer"], head["balanced"] == false);
  CHECK(kl_of(recipe, "keys-3-plain") > 1);
  CHECK(kl_of(recipe, "keys-3-center") < 0.05);
  CHECK(kl_of(recipe, recipe["chosen"]) < 0.005);
  CHECK(recipe["elsewhere"].get<double>() < 0.008);
}
