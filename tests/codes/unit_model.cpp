#include "unit_model.hpp"

namespace axelram {

UnitModel unit_model(const Code& code, const std::vector<rtl::GeneratedFile>& files) {
  using test::port;
  const auto k = static_cast<std::size_t>(code.k), n = static_cast<std::size_t>(code.n);
  return {files,
          "axelram_code_unit",
          {port("encode_valid_i", &UnitInput::encode_valid, 1),
           port("encode_data_i", &UnitInput::data, k),
           port("decode_valid_i", &UnitInput::decode_valid, 1),
           port("decode_codeword_i", &UnitInput::received, 64, n)},
          {port("encode_valid_o", &UnitOutput::encode_valid, 1),
           port("encode_codeword_o", &UnitOutput::encoded, 64, n),
           port("decode_valid_o", &UnitOutput::decode_valid, 1),
           port("decode_codeword_o", &UnitOutput::decoded, 64, n),
           port("decode_status_o", &UnitOutput::status, 2)}};
}

void Comparison::flush() {
  const std::vector<UnitOutput> outputs = model_.run(inputs_);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const UnitOutput& out = outputs[i];
    const Word codeword = encode_ref(code_, inputs_[i].data);
    const Decoded decoded = decode_ref(code_, received_[i]);
    counts_.wrong_encoded += !out.encode_valid || !(out.encoded == to_bits(code_, codeword));
    counts_.wrong_decoded += !out.decode_valid || !(out.decoded == to_bits(code_, decoded.word)) ||
                             out.status != static_cast<std::uint8_t>(decoded.status);
  }
  counts_.words += outputs.size();
  inputs_.clear();
  received_.clear();
}

}  // namespace axelram
