
#include "needs.hpp"
#include "program.hpp"

namespace {

using namespace test;

TEST_CASE("a datasheet is one page without other files, in the same bytes each time") {
  const TempDir axelram;
  const std::string first = axelram.output(
      "datasheet small.yaml trace.safetensors -o a.html --json a.json --markdown a.md");
  CHECK(contains(first, "configuration small\n"));
  REQUIRE(
      axelram("datasheet small.yaml trace.safetensors -o b.html --json b.json --markdown b.md"));
  for (const std::string ending : {"html", "json", "md"}) {
    CASE(ending);
    const std::string bytes = axelram.content("a." + ending);
    CHECK(bytes.size() > 10000);
    CHECK_SAME(axelram.content("b." + ending), bytes);
  }
  const std::string page = axelram.content("a.html");
  for (const char* part : {"<title>small: datasheet</title>", "prefers-color-scheme: dark", "@page",
                           "viewport", "trace.safetensors"})
    CHECK_AT(part, contains(page, part));
  for (const char* part : {"<script", "<img", "http-equiv", "src=", "@import", "href=\"http"})
    CHECK_AT(part, !contains(page, part));
  // The page is made of the JSON alone.
  REQUIRE(
      axelram.run("python3", "-B " + quoted(kSource + "/scripts/datasheet") + " a.json c.html"));
  CHECK_SAME(axelram.content("c.html"), page);
}

TEST_CASE("a datasheet has the figures of the report on the same trace") {
  const TempDir axelram;
  REQUIRE(axelram("datasheet small.yaml trace.safetensors --json sheet.json"));
  REQUIRE(axelram("report small.yaml trace.safetensors --json report.json"));
  std::map<std::string, Json> shown;
  std::vector<std::string> kinds;
  const Json sheet = axelram.json("sheet.json");
  for (const Json& section : sheet["sections"])
    for (const Json& part : section["parts"]) {
      if (part["part"] == "figures")
        for (Json figure : part["figures"]) {
          if (const Json beside = figure.value("netlist", Json()); beside.is_object())
            shown[beside["name"]] = beside;
          figure.erase("netlist");
          shown[figure["name"]] = figure;
        }
      if (part["part"] == "matrix")
        for (const Json& row : part["rows"])
          for (const Json& figure : row["figures"]) shown[figure["name"]] = figure;
      if (part["part"] == "diagram") kinds.push_back(part["kind"]);
    }
  for (const Json& line : axelram.json("report.json")) CHECK_AT(line, shown[line["name"]] == line);
  CHECK_SAME(kinds, std::vector<std::string>{"blocks", "timing", "timing", "areas", "areas",
                                             "histogram", "histogram", "levels"});
}

TEST_CASE("a datasheet is written over nothing") {
  const TempDir axelram;
  axelram.put("old.html", "mine\n");
  axelram.rejected("datasheet small.yaml -o old.html --json new.json", "old.html");
  CHECK(axelram.content("old.html") == "mine\n");
  axelram.rejected("datasheet small.yaml", "no output; name one with -o, --json or --markdown");
  axelram.rejected("datasheet small.yaml --json x --markdown x", "x: named for two outputs");
  axelram.rejected("datasheet small.yaml --json small.yaml --force",
                   "small.yaml: is also an input");
  axelram.rejected("datasheet small.yaml missing.safetensors --json x", "missing.safetensors");
  CHECK(axelram("datasheet small.yaml --markdown old.html --force"));
  CHECK(contains(axelram.content("old.html"), "# small\n"));
}

TEST_CASE("a page needs matplotlib, the facts do not") {
  const TempDir axelram;
  axelram.put_tool("python3", kNoMatplotlib);
  const ProcessResult missing = axelram("datasheet small.yaml -o a.html --json a.json", kOwnTools);
  CHECK(missing.code == 3);
  CHECK(missing.out.empty());  // found before the work
  CHECK(contains(missing.err,
                 "plots need matplotlib; run x, or write --json or --markdown without -o"));
  CHECK(!axelram.has("a.html"));
  CHECK(!axelram.has("a.json"));
  CHECK(axelram("datasheet small.yaml --json a.json --markdown a.md", kOwnTools));
  // Without any Python.
  failed(axelram("datasheet small.yaml -o a.html", "PATH=\"$PWD/none\""), 3,
         "python3 is not installed; run scripts/setup or apt-get ");
}

TEST_CASE("a datasheet with the gates that Yosys measures" * needs_yosys) {
  const TempDir axelram;
  REQUIRE(axelram("datasheet small.yaml --synthesize -o a.html --json a.json"));
  bool gates = false;
  const Json sheet = axelram.json("a.json");
  for (const Json& section : sheet["sections"])
    for (const Json& part : section["parts"])
      gates = gates || (part["part"] == "diagram" && part["title"] == "Gates");
  CHECK(gates);
}

}  // namespace
