#include <charconv>

#include "axelram/faults/dump.hpp"
#include "axelram/faults/text.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::faults {
namespace {

using files::DataType;

/// Metadata of a case; every entry is checked.
class Entries {
 public:
  explicit Entries(const files::Safetensors& file) : file_(file) {}

  std::string text(const std::string& key) const { return file_.metadata_at(key); }

  template <class T>
  T required(const std::string& key, const std::optional<T>& value) const {
    if (!value)
      throw files::InputError(file_.origin() + ": metadata " + key + ": '" + text(key) +
                              "'; give a file that `axelram faults --dump` wrote");
    return *value;
  }

  double number(const std::string& key) const { return required(key, parse_number(text(key))); }

  std::uint64_t whole(const std::string& key, std::uint64_t most) const {
    const std::string digits = text(key);
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    const bool right = error == std::errc() && stop == end && value <= most;
    return required(key, right ? std::optional(value) : std::nullopt);
  }

 private:
  const files::Safetensors& file_;
};

FaultModel read_model(const Entries& entries) {
  FaultModel model;
  model.kind = entries.required("model", value_named<ModelKind>(entries.text("model")));
  model.rate = entries.number("rate");
  if (model.rate < 0 || model.rate > 1) entries.required<double>("rate", std::nullopt);
  model.interleave = entries.whole("interleave", 1) == 1;
  if (model.kind == ModelKind::burst)
    model.widths = entries.required("widths", parse_widths(entries.text("widths")));
  return model;
}

}  // namespace

void write_case(const std::string& path, const Case& c, bool force) {
  const auto shape = [](const std::vector<std::uint8_t>& bytes) {
    return files::Shape{bytes.size()};
  };
  files::Metadata metadata = {{"kind", c.kind},
                              {"configuration", c.configuration},
                              {"code", c.code},
                              {"erasure", name_of(c.policy)},
                              {"model", name_of(c.model.kind)},
                              {"rate", number_text(c.model.rate)},
                              {"interleave", c.model.interleave ? "1" : "0"},
                              {"seed", std::to_string(c.seed)},
                              {"trial", std::to_string(c.trial)},
                              {"token", std::to_string(c.token)},
                              {"score_rms", number_text(c.score_rms)},
                              {"score_max", number_text(c.score_max)}};
  if (!c.model.widths.empty()) metadata["widths"] = widths_text(c.model.widths);
  files::write_safetensors(path,
                           {files::view("masks", DataType::u8, shape(c.masks), c.masks),
                            files::view("statuses", DataType::u8, shape(c.statuses), c.statuses),
                            files::view("decoded", DataType::u8, shape(c.decoded), c.decoded),
                            files::view("repaired", DataType::u8, shape(c.repaired), c.repaired)},
                           metadata, force);
}

Case read_case(const std::string& path) {
  const files::Safetensors file = files::Safetensors::read(path);
  const Entries entries(file);
  const auto bytes = [&](const char* name) {
    return file.at(name, DataType::u8, 1).values<std::uint8_t>();
  };
  Case c;
  c.kind = entries.text("kind");
  c.configuration = entries.text("configuration");
  c.code = entries.text("code");
  if (c.code != "none") {
    try {
      make_code(c.code);
    } catch (const std::invalid_argument& error) {
      throw files::InputError(path + ": metadata code: " + error.what());
    }
  }
  c.policy = entries.required("erasure", value_named<ErasurePolicy>(entries.text("erasure")));
  c.model = read_model(entries);
  c.seed = entries.whole("seed", ~std::uint64_t{0});
  c.trial = entries.whole("trial", ~std::uint32_t{0});
  c.token = static_cast<std::uint32_t>(entries.whole("token", ~std::uint32_t{0}));
  c.masks = bytes("masks");
  c.statuses = bytes("statuses");
  c.decoded = bytes("decoded");
  c.repaired = bytes("repaired");
  c.score_rms = entries.number("score_rms");
  c.score_max = entries.number("score_max");
  return c;
}

}  // namespace axelram::faults
