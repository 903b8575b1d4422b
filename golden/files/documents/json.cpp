#include "axelram/files/json.hpp"

#include "axelram/files/errors.hpp"
#include "axelram/files/file_bytes.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

constexpr int kMaxDepth = 64;

}  // namespace

nlohmann::json read_json(const std::string& path) { return json_of(FileBytes(path).text(), path); }

nlohmann::json json_of(std::string_view text, const std::string& path) {
  const auto limit_depth = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > kMaxDepth)
      throw InputError(printable(path) + ": lists and objects are nested more than " +
                       std::to_string(kMaxDepth) + " deep; no model needs that");
    return true;
  };
  // The parser would take a NUL byte for the end of the text.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    throw InputError(printable(path) + ": no JSON from byte " + std::to_string(nul + 1) +
                     " on: a NUL; is it a text file?");
  try {
    return nlohmann::json::parse(text, limit_depth);
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(printable(path) + ": no JSON from byte " + std::to_string(error.byte) +
                     " on; was it cut off?");
  } catch (const nlohmann::json::out_of_range&) {
    throw InputError(printable(path) + ": a number is larger than any FP64 value; is it damaged?");
  } catch (const nlohmann::json::exception& error) {
    throw InputError(printable(path) + ": no JSON: " + printable(error.what()));
  }
}

}  // namespace axelram::files
