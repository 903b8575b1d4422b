#include <algorithm>

#include "axelram/run/script.hpp"
#include "verify/attention/stimulus.hpp"

namespace axelram::sim {

run::AttentionScript AttentionStimulus::errors() {
  begin();
  const Code code = make_code(config_.ecc.code);
  const bool scrubs = config_.ecc.scrub_interval > 0;
  const std::uint32_t count = std::min(share_, 7U);
  allocate(0, count, std::min(1U, count), true);
  const auto inject = [&](Injection mode, const std::vector<std::uint8_t>& mask) {
    script_.steps.emplace_back(run::attention_step::Inject{below(2) != 0, mode, mask});
  };
  const auto off = [&](bool of_values) {
    script_.steps.emplace_back(run::attention_step::Inject{
        of_values, Injection::off, std::vector<std::uint8_t>(vectors_.mask(code, 0, 0, 1).size())});
  };
  const auto any_mask = [&] {
    return below(2) == 0 ? vectors_.erasing(code) : vectors_.mask(code, 1, code.correctable + 1, 2);
  };
  for (const ErasurePolicy policy :
       {ErasurePolicy::keep, ErasurePolicy::zero, ErasurePolicy::interpolate})
    for (const bool write_back : {true, false}) {
      script_.steps.emplace_back(run::attention_step::Protect{policy, write_back});
      for (std::uint32_t t = 0; t < count + 3; ++t) {
        if (below(3) != 0) inject(Injection::next_write, any_mask());
        append(0, vectors_.any(), vectors_.any());
        if (below(3) == 0) group(0, {}, below(3) == 0);
      }
      group(0, {});
      off(false);
      off(true);
      // A scrub would read in front of the group.
      if (scrubs) continue;
      inject(Injection::next_read, any_mask());
      group(0, {});
      group(0, {});
      inject(Injection::every_read, vectors_.mask(code, 1, code.correctable, 2));
      group(0, {});
      group(0, {});
      off(false);
      off(true);
      group(0, {});
    }
  return end();
}

run::AttentionScript AttentionStimulus::scrubs() {
  begin();
  const Code code = make_code(config_.ecc.code);
  allocate(0, 1, 0, true);
  for (int t = 0; t < 400; ++t) {
    script_.steps.emplace_back(run::attention_step::Inject{
        below(2) != 0, Injection::next_write, vectors_.mask(code, 1, code.correctable, 2)});
    append(0, vectors_.any(), vectors_.any());
    append(0, vectors_.any(), vectors_.any());
    group(0, {});
  }
  return end();
}

run::AttentionScript AttentionStimulus::appends() {
  begin();
  allocate(0, 1, 0, true);
  for (int t = 0; t < 4000; ++t) append(0, vectors_.gaussian(1), vectors_.gaussian(1));
  group(0, {});
  return end();
}

}  // namespace axelram::sim
