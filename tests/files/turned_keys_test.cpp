// Keys before rotary embedding are for stores that turn them; other readers reject them by name.
#include "axelram/files/turned_keys.hpp"

#include "axelram/files/tier_trace.hpp"
#include "axelram/files/trace.hpp"
#include "support.hpp"

using namespace axelram;
using namespace axelram::files;
using test::contains;

namespace {

/// A trace of two tokens, with tensors of a rotation.
class TurnedTrace {
 public:
  void write(const std::string& tensor, DataType type, const std::vector<float>& values,
             const Metadata& metadata = {}) {
    std::vector<Tensor> tensors = {view("keys", DataType::f16, {2, 32}, rows_),
                                   view("values", DataType::f16, {2, 32}, rows_),
                                   view("queries", DataType::f16, {0, 32}, none_),
                                   view("query_tokens", DataType::i32, {0}, tokens_)};
    const std::uint64_t columns = tensor == "key_offset" ? 32 : 16;
    if (type != DataType::f32)
      tensors.push_back(view(tensor, type, {2, 16}, halves_));
    else if (tensor == "key_offset")
      tensors.push_back(view(tensor, type, {columns}, values));
    else if (!tensor.empty())
      tensors.push_back(view(tensor, type, {2, columns}, values));
    write_safetensors(path(), tensors, metadata, true);
  }
  std::string macro() const {
    return test::message([&] { read_trace(path(), Parameters{.head_dim = 32}, 64); });
  }
  std::string store() const {
    return test::message([&] { read_tier_trace(path(), false); });
  }
  std::string path() const { return folder_ / "t"; }

 private:
  test::TemporaryFolder folder_;
  std::vector<std::uint16_t> rows_ = std::vector<std::uint16_t>(64, 0x3c00), none_,
                             halves_ = std::vector<std::uint16_t>(32, 0x3c00);
  std::vector<std::int32_t> tokens_;
};

}  // namespace

TEST_CASE("a tensor of the rotation has an effect, or holds what changes no key") {
  TurnedTrace trace;
  const std::string macro = "; a macro takes keys after it: capture without --before-rotary";
  const std::string store = "; give a cache with rope=pre, or capture without --before-rotary";
  trace.write("", DataType::f32, {});
  CHECK(trace.macro().empty());
  CHECK(trace.store().empty());
  for (const auto& [name, neutral] :
       {std::pair{"cosines", 1.0F}, {"sines", 0.0F}, {"key_offset", 0.0F}}) {
    CASE(name);
    std::vector<float> values(32, neutral);
    trace.write(name, DataType::f32, values);
    CHECK(trace.macro().empty());
    CHECK(trace.store().empty());
    values.back() = 0.5F;
    trace.write(name, DataType::f32, values);
    const std::string what =
        trace.path() + ": tensor " + name + ": it turns keys before rotary embedding";
    CHECK(trace.macro() == what + macro);
    CHECK(trace.store() == what + store);
    trace.write(name, DataType::f16, {});  // of another type
    CHECK(trace.macro() == what + macro);
  }
  trace.write("", DataType::f32, {}, {{"rope", "pre"}});
  const std::string keys = trace.path() + ": its keys are before rotary embedding (metadata rope)";
  CHECK(trace.macro() == keys + macro);
  CHECK(trace.store() == keys + store);
  trace.write("", DataType::f32, {}, {{"rope", "post"}});
  CHECK(trace.macro().empty());
}
