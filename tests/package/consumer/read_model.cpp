#include <axelram/caches/cache.hpp>
#include <axelram/perplexity/evaluate.hpp>

/// The model named by the first argument predicts a sentence through an INT4 cache.
int main(int, char** argv) {
  const auto checkpoint = axelram::checkpoints::read_checkpoint(argv[1]);
  const auto cache =
      axelram::caches::make_cache(axelram::caches::parse_specification("int4"),
                                  axelram::caches::shape_of(checkpoint.architecture));
  axelram::transformer::Workers workers(1);
  const axelram::transformer::Transformer model(checkpoint, workers);
  const auto ids = axelram::tokens::byte_level()->encode("The quick brown fox jumps.");
  const auto scores = axelram::perplexity::evaluate(
      model, ids, axelram::perplexity::sliding_windows(ids.size(), 16, 8), {cache.get()});
  return scores[0].nll.size() == ids.size() - 1 && scores[0].perplexity() < 256 ? 0 : 1;
}
