#include "axelram/commands/needle.hpp"

#include <algorithm>

#include "axelram/caches/specification.hpp"
#include "axelram/engines/jobs.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/safetensors.hpp"
#include "axelram/perplexity/needle.hpp"
#include "beside_baseline.hpp"
#include "in_model.hpp"
#include "json.hpp"
#include "needle_facts.hpp"
#include "outputs.hpp"
#include "score_warning.hpp"

namespace axelram::commands {
namespace {

using caches::Specification;

/// The texts of every length and depth, trials of a cell together.
std::vector<perplexity::NeedleText> texts_of(const NeedleOptions& options,
                                             const ModelAndText& input) {
  const std::vector<std::int32_t>& ids = input.text.ids;
  std::vector<std::int32_t> bos;
  std::span<const std::int32_t> haystack = ids;
  if (options.model.bos) {
    bos.push_back(ids.front());
    haystack = haystack.subspan(1);
  }
  std::vector<perplexity::NeedleText> texts;
  for (const std::uint64_t length : options.lengths)
    for (const std::uint64_t depth : options.depths)
      for (std::size_t trial = 0; trial < options.trials; ++trial) {
        const Fact fact = fact_of(options.task, options.seed, trial);
        // Places for the haystacks of all trials, as far apart as the text allows.
        const std::size_t spare = haystack.size() - std::min<std::size_t>(haystack.size(), length);
        const std::size_t first = std::min(trial * length, spare * trial / options.trials);
        texts.push_back(perplexity::plant(
            haystack.subspan(first),
            {input.tokenizer->encode(fact.statement), input.tokenizer->encode(fact.question),
             input.tokenizer->encode(fact.answer)},
            length, static_cast<double>(depth) / 100, bos));
      }
  return texts;
}

std::vector<NeedleCell> cells_of(const NeedleOptions& options,
                                 const std::vector<perplexity::NeedleText>& texts,
                                 const std::vector<perplexity::NeedleScore>& scores) {
  std::vector<NeedleCell> cells;
  std::size_t k = 0;
  for (const std::uint64_t length : options.lengths)
    for (const std::uint64_t depth : options.depths) {
      NeedleCell cell{length, depth, texts[k].fact, 0, 0};
      for (std::size_t trial = 0; trial < options.trials; ++trial, ++k) {
        cell.found += scores[k].found ? 1 : 0;
        cell.nll += scores[k].nll / static_cast<double>(options.trials);
      }
      cells.push_back(cell);
    }
  return cells;
}

/// tokens: I32 [texts, longest], behind the end of a text -1; lengths, answers: I32 [texts], ids of
/// a text and of its answer, which ends it.
void write_texts(const NeedleOptions& options, const std::vector<perplexity::NeedleText>& texts,
                 std::uint64_t longest) {
  std::vector<std::int32_t> tokens(texts.size() * longest, -1), lengths, answers;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::ranges::copy(texts[i].ids, tokens.begin() + static_cast<std::ptrdiff_t>(i * longest));
    lengths.push_back(static_cast<std::int32_t>(texts[i].ids.size()));
    answers.push_back(static_cast<std::int32_t>(texts[i].ids.size() - texts[i].answer));
  }
  using files::DataType;
  files::write_safetensors(options.texts,
                           {files::view("tokens", DataType::i32, {texts.size(), longest}, tokens),
                            files::view("lengths", DataType::i32, {texts.size()}, lengths),
                            files::view("answers", DataType::i32, {texts.size()}, answers)},
                           {{"model", options.model.model}, {"text", options.model.text}},
                           options.force);
}

void check_lengths(const NeedleOptions& options, const ModelAndText& input) {
  const std::uint64_t longest = *std::max_element(options.lengths.begin(), options.lengths.end());
  const std::size_t most = input.checkpoint.architecture.max_positions;
  if (longest > most)
    throw files::InputError("--lengths: " + std::to_string(longest) + "; the model takes " +
                            std::to_string(most) + " tokens");
  if (longest > input.text.ids.size())
    throw files::InputError(options.model.text + ": it has " +
                            std::to_string(input.text.ids.size()) + " tokens; a haystack for " +
                            std::to_string(longest) + " needs as many");
}

}  // namespace

NeedleResult find_needles(const NeedleOptions& options, const Progress& progress,
                          const Show<NeedleResult>& show) {
  if (tokens::holds_ids(options.model.text))
    throw files::InputError(options.model.text +
                            ": ids; a haystack is a text, with which a fact is tokenized");
  Outputs outputs(options.force, input_files(options.model));
  std::vector<Specification> specifications = {caches::parse_specification(options.baseline)};
  for (const std::string& cache : options.caches)
    specifications.push_back(caches::parse_specification(cache));
  NeedleResult result;
  result.options = options;
  for (const Specification& one : specifications) {
    result.caches.push_back(caches::to_string(one));
    for (const std::string& file : caches::other_files(one)) outputs.protect(file);
    for (const std::string& name : caches::configurations(one)) outputs.protect(read_config(name));
  }
  for (const std::string& output : {options.json, options.texts}) outputs.add(output);
  engines::check_perplexity(options.engine, specifications);

  const std::uint64_t longest = *std::max_element(options.lengths.begin(), options.lengths.end());
  const ModelAndText input = read_model_and_text(
      options.model, {},
      [&](const checkpoints::Architecture&) { return (longest + 1) * options.trials; });
  check_lengths(options, input);
  const std::vector<perplexity::NeedleText> texts = texts_of(options, input);
  const Fact example = fact_of(options.task, options.seed, 0);
  result.example_fact = example.statement;
  result.example_question = example.question;
  result.example_answer = example.answer;

  warn_of_noise(options.model, input.checkpoint, input.text, std::span(specifications).subspan(1),
                progress);
  const std::vector<perplexity::Window> windows = {{0, longest, 1}};
  engines::PerplexityModel model = engines::perplexity_model(
      options.engine, {input.checkpoint, specifications, windows,
                       thread_count(options.model.threads), lines_of(progress)});
  const auto scores = in_model(options.model.model, [&] {
    return beside_baseline(options.baseline, options.engine, [&] {
      return perplexity::find_needles(*model.predictor, texts, [&](std::size_t done) {
        tell(progress, {"needles", done, texts.size(), ""});
      });
    });
  });
  for (const std::vector<perplexity::NeedleScore>& of_cache : scores)
    result.cells.push_back(cells_of(options, texts, of_cache));
  show_figures(show, result);
  if (!options.texts.empty()) write_texts(options, texts, longest);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const NeedleResult& r) {
  Json all = Json::array();
  for (std::size_t c = 0; c < r.caches.size(); ++c) {
    Json cells = Json::array();
    for (const NeedleCell& cell : r.cells[c])
      cells.push_back({{"length", cell.length},
                       {"depth", cell.depth},
                       {"position", cell.position},
                       {"found", cell.found},
                       {"nll", cell.nll}});
    all.push_back({{"cache", r.caches[c]}, {"cells", cells}});
  }
  return text_of({{"model", r.options.model.model},
                  {"text", r.options.model.text},
                  {"engine", name_of(r.options.engine)},
                  {"task", name_of(r.options.task)},
                  {"trials", r.options.trials},
                  {"seed", r.options.seed},
                  {"fact", r.example_fact},
                  {"question", r.example_question},
                  {"answer", r.example_answer},
                  {"caches", all}});
}

}  // namespace axelram::commands
