#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>

#include "axelram/files/errors.hpp"
#include "check.hpp"

namespace test {

/// Temporary directory of one test, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "axelram-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

  std::size_t entries() const {
    const std::filesystem::directory_iterator begin(path_);
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

 private:
  std::string path_;
};

inline std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Whether a text has a part. A check that fails prints both.
struct Contained {
  std::string_view text, part;

  operator bool() const { return text.find(part) != std::string_view::npos; }
  friend std::ostream& operator<<(std::ostream& out, const Contained& of) {
    return out << excerpt(of.part, 0) << (of ? " is in " : " is not in ")
               << excerpt(of.text, of ? of.text.find(of.part) : 0) << ", length " << of.text.size();
  }
};

inline Contained contains(const std::string& text, const std::string& part) { return {text, part}; }

/// Message of the Error that `action` throws; "" if it throws nothing.
template <class Error = axelram::files::InputError, class Action>
std::string message(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK_FALSE(contains(error.what(), "\n"));
    return error.what();
  }
  return "";
}

inline std::filesystem::path project() { return AXELRAM_SOURCE; }

/// Requires that a page of docs has this text between `<!-- mark -->` and `<!-- /mark -->`. Writes
/// it there instead, if AXELRAM_WRITE_PAGES is set.
inline void check_page(const std::string& page, const std::string& mark, const std::string& text) {
  const std::string path = project() / "docs" / page, all = content(path);
  const std::string begin = "<!-- " + mark + " -->\n";
  const std::size_t from = all.find(begin) + begin.size(), to = all.find("<!-- /" + mark + " -->");
  REQUIRE(contains(all, begin));
  REQUIRE(to != std::string::npos);
  if (std::getenv("AXELRAM_WRITE_PAGES") != nullptr)
    put(path, all.substr(0, from) + text + all.substr(to));
  else
    CHECK(all.substr(from, to - from) == text);
}

}  // namespace test
