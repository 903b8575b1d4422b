#include "axelram/commands/needle.hpp"

#include <iostream>
#include <limits>
#include <memory>

#include "arguments.hpp"
#include "axelram/caches/kinds.hpp"
#include "axelram/files/messages.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

std::string needle_text(const commands::NeedleResult& r) {
  const commands::NeedleOptions& o = r.options;
  std::string text =
      "model          " + o.model.model + "\ntext           " + o.model.text + "\nfact           " +
      files::in_quotes(r.example_fact) + ", asked for by " + files::in_quotes(r.example_question) +
      ", answer " + files::in_quotes(r.example_answer) + "\ntrials         " +
      std::to_string(o.trials) + " facts at each depth, seed " + std::to_string(o.seed) +
      "\nshown          answers found, and the mean -ln p of their tokens\n";
  for (std::size_t length = 0; length < o.lengths.size(); ++length) {
    const std::size_t first = length * o.depths.size();
    std::vector<std::vector<std::string>> rows = {{std::to_string(o.lengths[length]) + " tokens"}};
    for (const std::uint64_t depth : o.depths)
      rows[0].push_back("depth " + std::to_string(depth) + " %");
    for (std::size_t c = 0; c < r.caches.size(); ++c) {
      rows.push_back({r.caches[c]});
      for (std::size_t i = first; i < first + o.depths.size(); ++i)
        rows.back().push_back(std::to_string(r.cells[c][i].found) + "  " +
                              fixed(r.cells[c][i].nll, 3));
    }
    text += "\n" + table(rows);
  }
  return text;
}

Status execute(const commands::NeedleOptions& options) {
  ProgressLine progress;
  commands::find_needles(options, progress.receiver(), progress.then([](const auto& result) {
    std::cout << needle_text(result);
  }));
  return Status::done;
}

}  // namespace

void add_needle(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::NeedleOptions>();
  commands::NeedleOptions* const o = options.get();
  CLI::App* command = app->add_subcommand(
      "needle", "a fact planted in a text and asked for at its end, with each KV cache");
  command->footer(
      "The text is the haystack. A fact begins at a depth of 0 (first) to 100 percent (last) of "
      "it, a\nquestion and the answer follow at the end; all together have the length asked for. "
      "An answer\ncounts as found if each of its tokens is the most likely one. The FP16 cache is "
      "measured too\n(--baseline).\nA cache is one of\n" +
      caches::cache_help("  ") +
      "or keys=CACHE;values=CACHE.\n\nExample:\n"
      "  axelram needle models/byte-llama-d128 README.md --lengths 256 --depths 0,50,100 \\\n"
      "      --trials 2 --cache int4");
  add_model(command, &o->model);
  command->add_option("--cache", o->caches, "the KV cache, see below; may be repeated")
      ->required()
      ->allow_extra_args(false)
      ->type_name("SPEC")
      ->option_text("SPEC (required)");
  const std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  command->add_option("--lengths", o->lengths, "tokens of a text, such as 512,1024 (default 512)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(whole_number(2, most))
      ->type_name("LIST");
  command
      ->add_option("--depths", o->depths, "depths of the fact in percent (default 0,25,50,75,100)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(whole_number(0, 100))
      ->type_name("LIST");
  command->add_option("--trials", o->trials, "facts at each length and depth (default 10)")
      ->check(whole_number(1, 100'000))
      ->type_name("N");
  add_name(command, "--task", &o->task, "what is planted and asked for");
  add_baseline(command, &o->baseline, "cache that is measured first");
  add_seed(command, &o->seed, "seed of the facts");
  add_engine(command, &o->engine, "what computes the axelram caches, or with cuda the whole model");
  add_json(command, &o->json, "all figures");
  command
      ->add_option("--texts", o->texts,
                   "tokens I32 [texts, longest], -1 behind a text; lengths and answers I32 [texts]")
      ->type_name("FILE");
  add_force(command, &o->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
