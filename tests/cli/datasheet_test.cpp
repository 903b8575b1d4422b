#include <cstdlib>

#include "needs.hpp"
#include "program.hpp"

namespace {

using test::contains;
using test::Json;
using test::ProcessResult;

TEST_CASE("a datasheet is one page without other files, in the same bytes each time") {
  const test::TempDir axelram;
  const ProcessResult first =
      axelram("datasheet small.yaml trace.safetensors -o a.html --json a.json --markdown a.md");
  CASE(first.err);
  REQUIRE(first.code == 0);
  CHECK(contains(first.out, "configuration small\n"));
  REQUIRE(axelram("datasheet small.yaml trace.safetensors -o b.html --json b.json --markdown b.md")
              .code == 0);
  for (const std::string ending : {"html", "json", "md"}) {
    CASE(ending);
    const std::string bytes = test::content(axelram.at("a." + ending));
    CHECK(bytes.size() > 10000);
    CHECK_SAME(test::content(axelram.at("b." + ending)), bytes);
  }
  const std::string page = test::content(axelram.at("a.html"));
  for (const char* part : {"<title>small: datasheet</title>", "prefers-color-scheme: dark", "@page",
                           "viewport", "trace.safetensors"})
    CHECK_AT(part, contains(page, part));
  for (const char* part : {"<script", "<img", "http-equiv", "src=", "@import", "href=\"http"})
    CHECK_AT(part, !contains(page, part));
  // The page is made of the JSON alone.
  REQUIRE(axelram
              .run("python3",
                   "-B " + test::quoted(test::kSource + "/scripts/datasheet") + " a.json c.html")
              .code == 0);
  CHECK_SAME(test::content(axelram.at("c.html")), page);
}

TEST_CASE("a datasheet has the figures of the report on the same trace") {
  const test::TempDir axelram;
  REQUIRE(axelram("datasheet small.yaml trace.safetensors --json sheet.json").code == 0);
  REQUIRE(axelram("report small.yaml trace.safetensors --json report.json").code == 0);
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
  const test::TempDir axelram;
  test::put(axelram.at("old.html"), "mine\n");
  axelram.rejected("datasheet small.yaml -o old.html --json new.json", "old.html");
  CHECK(test::content(axelram.at("old.html")) == "mine\n");
  axelram.rejected("datasheet small.yaml", "no output; name one with -o, --json or --markdown");
  axelram.rejected("datasheet small.yaml --json x --markdown x", "x: named for two outputs");
  axelram.rejected("datasheet small.yaml --json small.yaml --force",
                   "small.yaml: is also an input");
  axelram.rejected("datasheet small.yaml missing.safetensors --json x", "missing.safetensors");
  CHECK(axelram("datasheet small.yaml --markdown old.html --force").code == 0);
  CHECK(contains(test::content(axelram.at("old.html")), "# small\n"));
}

TEST_CASE("a page needs matplotlib, the facts do not") {
  const test::TempDir axelram;
  std::filesystem::create_directories(axelram.at("bin"));
  test::put(axelram.at("bin/python3"),
            "#!/bin/sh\necho 'plots need matplotlib; run x' >&2\nexit 3\n");
  std::filesystem::permissions(axelram.at("bin/python3"), std::filesystem::perms::owner_all);
  const std::string path = "PATH=\"$PWD/bin:$PATH\"";
  const ProcessResult missing = axelram("datasheet small.yaml -o a.html --json a.json", path);
  CHECK(missing.code == 3);
  CHECK(missing.out.empty());  // found before the work
  CHECK(contains(missing.err,
                 "plots need matplotlib; run x, or write --json or --markdown without -o"));
  CHECK(!axelram.has("a.html"));
  CHECK(!axelram.has("a.json"));
  CHECK(axelram("datasheet small.yaml --json a.json --markdown a.md", path).code == 0);
  // Without any Python.
  const ProcessResult none = axelram("datasheet small.yaml -o a.html", "PATH=\"$PWD/none\"");
  CHECK(none.code == 3);
  CHECK(contains(none.err, "python3 is not installed; run scripts/setup or apt-get "));
}

TEST_CASE("a datasheet with the gates that Yosys measures" * test::needs_yosys) {
  const test::TempDir axelram;
  REQUIRE(axelram("datasheet small.yaml --synthesize -o a.html --json a.json").code == 0);
  bool gates = false;
  const Json sheet = axelram.json("a.json");
  for (const Json& section : sheet["sections"])
    for (const Json& part : section["parts"])
      gates = gates || (part["part"] == "diagram" && part["title"] == "Gates");
  CHECK(gates);
}

}  // namespace
