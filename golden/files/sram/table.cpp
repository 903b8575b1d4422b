#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "axelram/files/messages.hpp"
#include "axelram/files/sram.hpp"
#include "documents/values.hpp"

namespace axelram::files {
namespace {

constexpr int kMostWords = 1 << 30;
constexpr int kMostWordBits = 1 << 16;
constexpr int kMostNode = 10000;
constexpr SectionRules kSramTable = {
    {"a table of SRAMs", "NAME: {node: 45, voltage: 0.9, words: 1024, bits: 64, source: TEXT}",
     "{\"NAME\": {\"node\": 45}}"}};

/// A positive decimal number, such as 0.9. A zero is not what a source gives.
double positive_of(const DocumentValue& value, const std::string& origin) {
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [stop, error] =
      std::from_chars(value.text.data(), end, number, std::chars_format::fixed);
  if (!value.plain || value.list || error != std::errc() || stop != end || !std::isfinite(number) ||
      number < 0 || number > 1e9)
    reject(value, origin, "it must be a number between 0 and 10^9, such as 0.9");
  if (number == 0) reject(value, origin, "leave the key out if the source does not give it");
  return number;
}

std::string ports_of(const DocumentValue& value, const std::string& origin) {
  const std::vector<std::string> known = {"1rw", "1rw1r", "1r1w", "unstated"};
  if (std::find(known.begin(), known.end(), value.text) == known.end())
    reject_choice(value, origin, known);
  return value.text;
}

std::string source_of(const DocumentValue& value, const std::string& origin) {
  if (value.text.empty() || value.list)
    reject(value, origin, "it must say where the figures are from, with page or figure");
  return printable(value.text);
}

/// A key of a point: whether each point has it, and its reader.
struct PointKey {
  bool required;
  std::function<void(const DocumentValue&, const std::string&, PublishedPoint*)> read;
};

template <class Member>
PointKey whole_key(Member PublishedPoint::*member, int example, int most) {
  return {true, [=](const DocumentValue& value, const std::string& origin, PublishedPoint* point) {
            point->*member = static_cast<Member>(integer_of(value, origin, example, 1, most));
          }};
}

PointKey figure_key(std::optional<double> PublishedPoint::*member) {
  return {false, [=](const DocumentValue& value, const std::string& origin, PublishedPoint* point) {
            point->*member = positive_of(value, origin);
          }};
}

const std::map<std::string, PointKey>& point_keys() {
  using P = PublishedPoint;
  static const std::map<std::string, PointKey> keys = {
      {"node", whole_key(&P::node, 45, kMostNode)},
      {"voltage",
       {true, [](const DocumentValue& value, const std::string& origin,
                 P* point) { point->voltage = positive_of(value, origin); }}},
      {"words", whole_key(&P::words, 4096, kMostWords)},
      {"bits", whole_key(&P::bits, 64, kMostWordBits)},
      {"ports",
       {true, [](const DocumentValue& value, const std::string& origin,
                 P* point) { point->ports = ports_of(value, origin); }}},
      {"read", figure_key(&P::read)},
      {"write", figure_key(&P::write)},
      {"area", figure_key(&P::area)},
      {"access", figure_key(&P::access)},
      {"leakage", figure_key(&P::leakage)},
      {"source", {true, [](const DocumentValue& value, const std::string& origin, P* point) {
                    point->source = source_of(value, origin);
                  }}}};
  return keys;
}

PublishedPoint point_of(const DocumentSection& section, const std::string& origin) {
  PublishedPoint point;
  point.name = printable(section.name);
  point.line = section.line;
  std::vector<std::string> known;
  for (const auto& [name, key] : point_keys()) {
    known.push_back(name);
    if (key.required && section.find(name) == nullptr)
      fail_at(origin, section.line, point.name + " has no " + name + "; give it");
  }
  for (const DocumentValue& value : section.values) {
    const auto key = point_keys().find(value.key);
    if (key == point_keys().end()) {
      const std::string meant = did_you_mean(value.key, known);
      fail_at(origin, value.line,
              "unknown key " + in_quotes(value.key) + " of " + point.name + "; " +
                  (meant.empty() ? "known are " + any_of(known) : meant));
    }
    key->second.read(value, origin, &point);
  }
  return point;
}

/// Rejects points between which there is no line: another voltage or width, or the same words.
void check_points(const std::vector<PublishedPoint>& points, const std::string& origin) {
  for (std::size_t i = 1; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const PublishedPoint &earlier = points[j], &point = points[i];
      if (earlier.node != point.node) continue;
      const auto fail = [&](const std::string& what) {
        fail_at(origin, point.line,
                point.name + " and " + earlier.name + " are of one node and have " + what +
                    "; give each its own file");
      };
      if (earlier.voltage != point.voltage) fail("two voltages");
      if (earlier.bits != point.bits) fail("words of two widths");
      if (earlier.words == point.words) fail("the same size");
    }
}

}  // namespace

std::vector<PublishedPoint> parse_sram_table(const std::string& text, const std::string& origin,
                                             int node) {
  const Document document = parse_sections(text, origin, kSramTable);
  std::vector<PublishedPoint> points;
  for (const DocumentSection& section : document.sections)
    points.push_back(point_of(section, origin));
  check_points(points, origin);

  std::vector<std::string> nodes;
  for (const PublishedPoint& point : points) {
    const std::string name = std::to_string(point.node);
    if (std::find(nodes.begin(), nodes.end(), name) == nodes.end()) nodes.push_back(name);
  }
  if (nodes.empty())
    fail_at(origin, 1,
            std::string("no point; a table has at least one, such as ") + kSramTable.kind.example);
  const std::string wanted = std::to_string(node);
  if (node == 0 && nodes.size() > 1)
    fail_at(origin, 1, "points of several nodes; choose sram.node: it must be " + any_of(nodes));
  if (node != 0 && std::find(nodes.begin(), nodes.end(), wanted) == nodes.end())
    fail_at(origin, 1, "no point of " + wanted + " nm; sram.node must be " + any_of(nodes));
  points.erase(std::remove_if(
                   points.begin(), points.end(),
                   [node](const PublishedPoint& point) { return node != 0 && point.node != node; }),
               points.end());
  std::sort(points.begin(), points.end(),
            [](const PublishedPoint& a, const PublishedPoint& b) { return a.words < b.words; });
  return points;
}

}  // namespace axelram::files
