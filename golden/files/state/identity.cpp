#include "identity.hpp"

#include <charconv>
#include <memory>
#include <stdexcept>

#include "axelram/files/messages.hpp"

namespace axelram::files {
namespace {

constexpr int kMostCode = 255;
constexpr std::uint32_t kMostThreshold = 1U << 17;  // of the cosine 2 without distortion
constexpr char kByModel[] = "model";

template <class T>
bool read_number(std::string_view text, T most, T* number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end && *number >= T{} && *number <= most;
}

template <class T>
bool read_name(std::string_view text, T* value) {
  const std::optional<T> named = value_named<T>(text);
  if (named) *value = *named;
  return named.has_value();
}

/// `Part` is a member of MemoryIdentity and `Member` a number in it. check_memory() has narrower
/// ranges.
template <auto Part, auto Member, auto Most = 1 << 16>
IdentityField number(const char* name, bool may_grow = false) {
  return {name, "an integer in 0.." + std::to_string(Most) + " is valid",
          [](const MemoryIdentity& i) { return std::to_string(i.*Part.*Member); },
          [](std::string_view text, MemoryIdentity* i) {
            return read_number(text, Most, &(i->*Part.*Member));
          },
          may_grow};
}

template <auto Part, auto Member>
IdentityField named(const char* name) {
  using T = std::decay_t<decltype(std::declval<MemoryIdentity&>().*Part.*Member)>;
  return {name, any_of(names_of<T>()) + " is valid",
          [](const MemoryIdentity& i) { return axelram::name_of(i.*Part.*Member); },
          [](std::string_view text, MemoryIdentity* i) {
            return read_name(text, &(i->*Part.*Member));
          }};
}

template <auto Member, auto Most = 1 << 16>
IdentityField of_memory(const char* name, bool may_grow = false) {
  return number<&MemoryIdentity::memory, Member, Most>(name, may_grow);
}

IdentityField blend() {
  return {"blend", "an integer in 0..255 or model is valid",
          [](const MemoryIdentity& i) {
            return i.blend_by_model ? kByModel : std::to_string(i.memory.blend);
          },
          [](std::string_view text, MemoryIdentity* i) {
            i->blend_by_model = text == kByModel;
            i->memory.blend = 0;
            return i->blend_by_model || read_number(text, kMostCode, &i->memory.blend);
          }};
}

IdentityField code() {
  return {"code", "none and the names of codes are valid",
          [](const MemoryIdentity& i) { return i.code; },
          [](std::string_view text, MemoryIdentity* i) {
            i->code = text;
            return !text.empty();
          }};
}

IdentityField erasure() {
  return {"erasure", "keep or zero is valid",
          [](const MemoryIdentity& i) { return axelram::name_of(i.erasure); },
          [](std::string_view text, MemoryIdentity* i) { return read_name(text, &i->erasure); }};
}

}  // namespace

const std::vector<IdentityField>& fields_of_memory() {
  using M = MemoryParameters;
  constexpr auto kMemory = &MemoryIdentity::memory;
  static const std::vector<IdentityField> all = {
      of_memory<&M::window>("window"),
      of_memory<&M::exact>("exact", true),
      of_memory<&M::summary>("summary", true),
      of_memory<&M::sinks>("sinks"),
      of_memory<&M::novel, kMostThreshold>("novel"),
      of_memory<&M::match, kMostThreshold>("match"),
      of_memory<&M::gate_exact, kMostCode>("gate_exact"),
      of_memory<&M::gate_summary, kMostCode>("gate_summary"),
      blend(),
      named<kMemory, &M::evict>("evict"),
      named<kMemory, &M::summary_key>("summary_key"),
      named<kMemory, &M::store>("store")};
  return all;
}

const std::vector<IdentityField>& fields_of_numerics() {
  using P = Parameters;
  constexpr auto kParameters = &MemoryIdentity::parameters;
  static const std::vector<IdentityField> all = {
      number<kParameters, &P::head_dim>("head_dim"),
      number<kParameters, &P::index_bits>("index_bits"),
      number<kParameters, &P::significand_bits>("significand_bits"),
      number<kParameters, &P::boundary_fraction_bits>("boundary_fraction_bits"),
      number<kParameters, &P::query_bits>("query_bits"),
      number<kParameters, &P::centroid_bits>("centroid_bits"),
      named<kParameters, &P::codebook>("codebook"),
      code(),
      erasure()};
  return all;
}

std::string text_of(const std::vector<IdentityField>& fields, const MemoryIdentity& identity) {
  std::string text;
  for (const IdentityField& field : fields)
    text += (text.empty() ? "" : ",") + std::string(field.name) + "=" + field.show(identity);
  return text;
}

void read_fields(const std::vector<IdentityField>& fields, const std::string& where,
                 std::string_view text, MemoryIdentity* identity) {
  const auto fail = [&](std::string_view what, const std::string& right) {
    throw InputError(where + in_quotes(what) + "; " + right);
  };
  std::string_view rest = text;
  for (const IdentityField& field : fields) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::string begin = std::string(field.name) + "=";
    if (part.substr(0, begin.size()) != begin) fail(part, begin + "VALUE must be here");
    const std::string_view value = part.substr(begin.size());
    // The canonical text alone: no zeros in front.
    if (!field.read(value, identity) || field.show(*identity) != value) fail(part, field.valid);
    const bool last = part.size() == rest.size();
    if (last != (&field == &fields.back()))
      fail(part, last ? "further values must follow" : "it must be the last value");
    if (!last) rest.remove_prefix(part.size() + 1);
  }
}

void compare_fields(const std::vector<IdentityField>& fields, const std::string& where,
                    const MemoryIdentity& file, const MemoryIdentity& right) {
  for (const IdentityField& field : fields) {
    const std::string has = field.show(file), needed = field.show(right);
    if (has == needed || (field.may_grow && std::stoi(has) < std::stoi(needed))) continue;
    throw OtherMemoryError(where + field.name + "=" + printable(has) + "; this memory has " +
                           field.name + "=" + needed +
                           (field.may_grow ? ", and no bank may shrink" : ""));
  }
}

std::optional<std::string> fault_of(const MemoryIdentity& identity) {
  const MemoryParameters& m = identity.memory;
  MemoryOptions options;
  options.window = m.window;
  options.exact = m.exact;
  options.summary = m.summary;
  options.sinks = m.sinks;
  options.evict = m.evict;
  options.summary_key = m.summary_key;
  options.store = m.store;
  try {
    check_memory(options, identity.parameters, identity.erasure);
    if (identity.code != "none") make_code(identity.code);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  if (m.store == MemoryStore::f32)
    return "memory.store is f32; it has no state file, use fp16 or records";
  if (m.match < m.novel || m.match > kMostThreshold)
    return "memory.match is " + std::to_string(m.match) + "; it must lie in " +
           std::to_string(m.novel) + ".." + std::to_string(kMostThreshold);
  return std::nullopt;
}

std::size_t stored_bytes_of(const MemoryIdentity& identity) {
  const auto bytes = static_cast<std::size_t>(identity.parameters.record_bytes());
  return identity.code == "none" ? bytes : make_code(identity.code).codeword_bytes(bytes * 8);
}

MemoryRecords records_of(const MemoryIdentity& identity, std::int64_t longest) {
  MemoryHead head;
  head.parameters = identity.parameters.of_values();
  head.memory = identity.memory;
  head.rom = std::make_shared<const CodebookRom>(codebook_rom(head.parameters));
  head.signs.assign(static_cast<std::size_t>(head.parameters.head_dim), 1);
  head.protection.code = identity.code;
  head.protection.erasure = identity.erasure;
  head.longest = longest;
  return MemoryRecords(head);
}

void check_digest(const std::string& where, const std::string& digest) {
  if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw InputError(where + in_quotes(digest) + "; 64 hexadecimal digits, a SHA-256, are valid");
}

}  // namespace axelram::files
