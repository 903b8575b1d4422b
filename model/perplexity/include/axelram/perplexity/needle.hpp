#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "axelram/perplexity/predictor.hpp"

namespace axelram::perplexity {

/// The ids of a fact, of what asks for it, and of what is to follow.
struct Needle {
  std::vector<std::int32_t> fact, question, answer;
};

/// A text with a fact in it that ends with question and answer.
struct NeedleText {
  std::vector<std::int32_t> ids;
  std::size_t fact = 0;    ///< position of its first id
  std::size_t answer = 0;  ///< position of the first id of the answer, which ends the text
};

/// A text of exactly `length` ids. The fact has a share `depth` of the haystack before it and the
/// rest behind it, 0..1, to the nearest id. haystack: at least as many ids as the text has beside
/// the needle; those in front are used. bos: the first id of the text, or none. Throws
/// files::InputError if the needle leaves no place for a haystack.
NeedleText plant(std::span<const std::int32_t> haystack, const Needle& needle, std::size_t length,
                 double depth, std::span<const std::int32_t> bos = {});

/// What a model makes of the answer.
struct NeedleScore {
  bool found = false;  ///< each id of the answer is the most likely one
  double nll = 0;      ///< mean -ln p of the ids of the answer, nats
};

/// [caches][texts]. Text k is sequence number k of the caches. `advance` is told the number of
/// texts that are done. Throws as Predictor::predict.
std::vector<std::vector<NeedleScore>> find_needles(
    Predictor& model, const std::vector<NeedleText>& texts,
    const std::function<void(std::size_t done)>& advance = {});

}  // namespace axelram::perplexity
