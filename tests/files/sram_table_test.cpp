
#include "axelram/files/places.hpp"
#include "axelram/files/sram.hpp"
#include "sram_files.hpp"
#include "support.hpp"

using namespace axelram::files;
using test::contains;

namespace {

constexpr const char* kPublishedPoints =
    "b: {node: 45, voltage: 0.9, words: 4096, bits: 64, ports: 1rw, read: 20, source: \"A, p. "
    "2\"}\n"
    "a: {node: 45, voltage: 0.9, words: 1024, bits: 64, ports: 1rw, read: 10.5, write: 11, area: "
    "0.1, access: 0.5, leakage: 3, source: \"A, p. 1\"}\n"
    "c: {node: 130, voltage: 1.8, words: 512, bits: 32, ports: 1rw1r, read: 14, source: B}\n";

std::string table_rejection(const std::string& text, int node = 45) {
  const std::string got = test::message([&] { parse_sram_table(text, "x.yaml", node); });
  CHECK_MESSAGE(contains(got, "; "), got);  // what would be right
  return got;
}

}  // namespace

TEST_CASE("the points of one node, ascending, with what their sources give") {
  const std::vector<PublishedPoint> points = parse_sram_table(kPublishedPoints, "x.yaml", 45);
  REQUIRE(points.size() == 2);
  CHECK(points[0].name == "a");
  CHECK(points[0].line == 2);
  CHECK(points[0].words == 1024);
  CHECK(points[0].bits == 64);
  CHECK(points[0].node == 45);
  CHECK(points[0].voltage == 0.9);
  CHECK(points[0].ports == "1rw");
  CHECK(points[0].read == 10.5);
  CHECK(points[0].write == 11);
  CHECK(points[0].area == 0.1);
  CHECK(points[0].access == 0.5);
  CHECK(points[0].leakage == 3);
  CHECK(points[0].source == "A, p. 1");
  CHECK(points[1].name == "b");
  CHECK(!points[1].write);
  CHECK(parse_sram_table(kPublishedPoints, "x.yaml", 130).size() == 1);
  CHECK(parse_sram_table("{\"a\": {\"node\": 7, \"voltage\": 1, \"words\": 1, \"bits\": 1, "
                         "\"ports\": \"1rw\", \"source\": \"C\"}}",
                         "x.json", 0)
            .size() == 1);
}

TEST_CASE("a node is chosen if there are several") {
  CHECK(contains(table_rejection(kPublishedPoints, 0), "x.yaml:1: points of several nodes"));
  CHECK(contains(table_rejection(kPublishedPoints, 0), "45 or 130"));
  CHECK(contains(table_rejection(kPublishedPoints, 90), "x.yaml:1: no point of 90 nm"));
}

TEST_CASE("a broken table is an error with the line") {
  const auto broken = [](const std::string& part, const std::string& by) {
    return table_rejection(test::replaced(kPublishedPoints, part, by));
  };
  CHECK(broken("read: 20", "read: 0") ==
        "x.yaml:1: read is 0; leave the key out if the source does not give it");
  for (const char* value : {"-1", "nan", "inf", "1e3", "1e999", "\"5\"", "[5]", "five"}) {
    CASE(value);
    CHECK_AT(value, contains(broken("read: 20", std::string("read: ") + value), "x.yaml:1: "));
  }
  CHECK(contains(broken("words: 1024", "words: 0"), "x.yaml:2: words is 0"));
  CHECK(contains(broken("node: 45, voltage: 0.9, words: 1024", "voltage: 0.9, words: 1024"),
                 "x.yaml:2: a has no node"));
  CHECK(contains(broken("ports: 1rw1r, ", ""), "x.yaml:3: c has no ports"));
  CHECK(contains(broken("1rw1r", "2rw"), "x.yaml:3: ports is 2rw; it must be 1rw, 1rw1r"));
  CHECK(contains(broken("source: B", "source: ''"), "x.yaml:3: source is"));
  CHECK(contains(broken("source: B", "origin: B"), "x.yaml:3: c has no source"));
  CHECK(contains(broken("write: 11", "writes: 11"),
                 "x.yaml:2: unknown key 'writes' of a; did you mean 'write'?"));
  CHECK(contains(broken("voltage: 0.9, words: 1024", "voltage: 1.0, words: 1024"),
                 "x.yaml:2: a and b are of one node and have two voltages"));
  CHECK(contains(broken("bits: 64, ports: 1rw, read: 10.5", "bits: 32, ports: 1rw, read: 10.5"),
                 "words of two widths"));
  CHECK(contains(broken("words: 1024", "words: 4096"), "the same size"));
  CHECK(contains(broken("\nc: {", "\nb: {"), "x.yaml:3: section 'b' repeats"));
  CHECK(contains(table_rejection(""), "x.yaml:1: no point"));
  CHECK(contains(table_rejection("5"), "write such as NAME: {node: 45"));
  CHECK(contains(table_rejection("head_dim: 64"), "at the top level, such as NAME: {node: 45"));
}

TEST_CASE("the figures of the shipped table are those of its sources") {
  const std::string path = shipped("configs/sram/published.yaml");
  REQUIRE(!path.empty());
  const std::string text = test::content(path);

  const std::vector<PublishedPoint> cache = parse_sram_table(text, path, 45);
  REQUIRE(cache.size() == 3);
  const double bytes[] = {8192, 32768, 1048576}, energy[] = {10, 20, 100};
  for (std::size_t i = 0; i < 3; ++i) {
    CASE(i);
    CHECK(static_cast<double>(cache[i].words) * cache[i].bits / 8 == bytes[i]);
    CHECK(cache[i].read == energy[i]);
    CHECK(cache[i].voltage == 0.9);
    CHECK(!cache[i].write);
  }

  // period, powers of port 1 and of writes, high level and delay, width and height, leakage
  struct Macro {
    double period, read[2], write[2], high, delay, width, height, leakage;
  };
  const Macro macros[] = {
      {6.875, {2.843456, 2.581878}, {2.226912, 2.371604}, 3.4375, 3.072, 493.38, 400.22, 0.9117994},
      {5.156, {2.868735, 2.519171}, {2.553973, 2.793470}, 2.578, 2.420, 683.1, 416.54, 1.379771},
      {6.191, {5.820735, 5.721915}, {3.431848, 3.717897}, 3.0955, 2.980, 0, 0, 2.411139}};
  // `area` of the Liberty files of 1 and 4 KB: a number for each bit, and a quarter of SIZE.
  CHECK(50479.10400000001 / (256 * 32) == doctest::Approx(201916.41600000003 / (1024 * 32)));
  CHECK(macros[0].width * macros[0].height == doctest::Approx(197461).epsilon(1e-5));

  const std::vector<PublishedPoint> points = parse_sram_table(text, path, 130);
  REQUIRE(points.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CASE(i);
    const Macro& m = macros[i];
    const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-3).scale(0); };
    CHECK(points[i].words == 256U << i);
    CHECK(*points[i].read == near((m.read[0] + m.read[1]) / 2 * m.period));
    CHECK(*points[i].write == near((m.write[0] + m.write[1]) / 2 * m.period));
    CHECK(*points[i].access == near(m.high + m.delay));
    CHECK(points[i].area.has_value() == (m.width > 0));
    if (points[i].area) CHECK(*points[i].area == near(m.width * m.height * 1e-6));
    CHECK(*points[i].leakage == near(m.leakage));
  }
}
