#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "axelram/files/errors.hpp"
#include "parser.hpp"

namespace axelram::files {
namespace {

/// Iterator that records how far the parser has read, because the parser reports no lines.
class Reader {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Reader(const char* at, const char** read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  Reader& operator++() {
    *read_ = ++at_;
    return *this;
  }
  bool operator==(const Reader& other) const { return at_ == other.at_; }
  bool operator!=(const Reader& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** read_;
};

/// SAX events of nlohmann::json.
class Events : public nlohmann::json_sax<nlohmann::json> {
 public:
  Events(const std::string& text, const char* const& read, DocumentBuilder& builder)
      : text_(text), read_(read), builder_(builder) {}

  bool null() override {
    builder_.null(line());
    return true;
  }
  bool boolean(bool value) override { return plain(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override { return plain(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) override { return plain(std::to_string(value)); }
  bool number_float(double, const std::string& text) override { return plain(text); }
  bool string(std::string& text) override {
    builder_.scalar(text, false, line());
    return true;
  }
  bool key(std::string& text) override { return string(text); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    builder_.begin_map(line());
    return true;
  }
  bool end_object() override {
    builder_.end_map();
    return true;
  }
  bool start_array(std::size_t) override {
    builder_.begin_list(line());
    return true;
  }
  bool end_array() override {
    builder_.end_list();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    builder_.stop(line(), std::string("not JSON; write sections such as ") + builder_.kind().json);
  }

 private:
  bool plain(const std::string& text) {
    builder_.scalar(text, true, line());
    return true;
  }
  /// The last character read may be the one after a number: an end of line.
  int line() const {
    const char* const end = read_ == text_.data() ? read_ : read_ - 1;
    return 1 + static_cast<int>(std::count(text_.data(), end, '\n'));
  }

  const std::string& text_;
  const char* const& read_;
  DocumentBuilder& builder_;
};

}  // namespace

void parse_json(const std::string& text, DocumentBuilder* builder) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return;
  if (text[first] != '{')
    throw EnvironmentError(builder->origin() +
                           ": not JSON, and this program was built without yaml-cpp; write " +
                           builder->kind().json + ", or build with yaml-cpp");
  const char* read = text.data();
  Events events(text, read, *builder);
  nlohmann::json::sax_parse(Reader(text.data(), &read), Reader(text.data() + text.size(), &read),
                            &events);
}

}  // namespace axelram::files
