#include "faults_arguments.hpp"

#include <cmath>
#include <limits>

#include "arguments.hpp"
#include "axelram/code.hpp"
#include "axelram/faults/text.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/interpolate.hpp"

namespace axelram::cli {
namespace {

constexpr std::uint64_t kTrialsOfWidth = 100'000;
constexpr std::uint64_t kEveryBit = 1'000'000;  // more than a key has

/// "first, a, b" of the names, without `first` if it is empty.
std::string joined(std::string first, const std::vector<std::string>& names) {
  for (const std::string& name : names) first += (first.empty() ? "" : ", ") + name;
  return first;
}

bool same_text(const std::string& a, const std::string& b) { return a == b; }
bool same_number(const std::string& a, const std::string& b) {
  return a == b || (faults::parse_number(a) && faults::parse_number(a) == faults::parse_number(b));
}

/// A list separated by commas, each entry once. complaint(entry) is empty for a valid entry.
template <class Complaint>
CLI::Validator list_of(const Complaint& complaint,
                       bool (*same)(const std::string&, const std::string&) = same_text) {
  return CLI::Validator(
      [=](const std::string& text) {
        std::vector<std::string> seen;
        for (const std::string& entry : faults::split(text, ',')) {
          for (const std::string& before : seen)
            if (same(before, entry)) return "'" + entry + "' twice in '" + text + "'; name it once";
          seen.push_back(entry);
          const std::string wrong = complaint(entry);
          if (!wrong.empty()) return "'" + entry + "' in '" + text + "'; " + wrong;
        }
        return std::string();
      },
      "");
}

CLI::Validator rates() {
  const auto complaint = [](const std::string& entry) -> std::string {
    const std::optional<double> rate = faults::parse_number(entry);
    if (!rate || *rate < 0 || *rate > 1)
      return "give probabilities, 0 .. 1, such as 1e-4,1e-3,1e-2";
    // The generator compares 32 bits: a lower rate would be 0.
    if (*rate > 0 && *rate < std::ldexp(1.0, -32))
      return "the generator draws in steps of 2^-32, 2.33e-10; give 0 or no less than that";
    return "";
  };
  return list_of(complaint, same_number);
}

CLI::Validator code_names() {
  return list_of([](const std::string& entry) -> std::string {
    if (entry == "none") return "";
    try {
      make_code(entry);
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  });
}

CLI::Validator policies() {
  return list_of([](const std::string& entry) {
    return value_named<ErasurePolicy>(entry) ? std::string()
                                             : "give " + files::any_of(names_of<ErasurePolicy>());
  });
}

CLI::Validator widths() {
  return CLI::Validator(
      [](const std::string& text) {
        return faults::parse_widths(text)
                   ? std::string()
                   : "'" + text +
                         "'; give WIDTH:WEIGHT,..., widths 1 .. 32, each once, weights "
                         "above 0 and up to 1e9, such as 1:0.6,2:0.3,3:0.1";
      },
      "");
}

void declare_model(CLI::App* command, FaultsArguments* o) {
  command->add_option("--ber", o->ber, "bit error rates: every bit flips on its own")
      ->check(rates())
      ->type_name("P,...");
  command
      ->add_option("--burst", o->burst,
                   "upsets of adjacent bits: widths and their relative frequencies")
      ->check(widths())
      ->type_name("WIDTH:WEIGHT,...");
  command
      ->add_option("--upset-rate", o->upset_rate,
                   "with --burst: probabilities that a key's stored bits suffer an upset")
      ->check(rates())
      ->type_name("P,...");
  command->add_option("--stuck", o->stuck, "rates of cells stuck at 0 or 1, half of them each")
      ->check(rates())
      ->type_name("P,...");
  command->add_flag("--single-flips", o->single_flips, "every stored bit once, on its own");
  command->add_flag("--interleave", o->interleave,
                    "adjacent cells belong to different codewords of a key");
}

void declare_extent(CLI::App* command, FaultsArguments* o) {
  const std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  CLI::Option* trials =
      command
          ->add_option("--trials", o->run.trials,
                       "passes over the whole trace (default 100; with --width at most "
                       "100000; with --single-flips every bit once)")
          ->check(whole_number(1, most))
          ->type_name("N");
  command
      ->add_option("--codewords", o->run.codewords,
                   "instead: as many trials as N words of each code need")
      ->check(whole_number(1, 1'000'000'000'000))
      ->type_name("N")
      ->excludes(trials);
  command
      ->add_option("--width", o->run.width,
                   "stop when the 95 % interval of word failures is this narrow, relative to "
                   "their rate")
      ->check(probability(1))
      ->type_name("R");
  command
      ->add_option("--score-trials", o->run.score_trials,
                   "trials that are scored, the first ones (default 100)")
      ->check(whole_number(0, most))
      ->type_name("N");
  add_seed(command, &o->run.seed, "seed of all faults");
  add_threads(command, &o->run.threads);
}

}  // namespace

void declare_faults(CLI::App* command, FaultsArguments* o) {
  add_config(command, &o->run.config);
  add_trace(command, &o->run.trace)->required()->option_text("(required)");
  declare_model(command, o);
  command
      ->add_option("--code", o->codes,
                   joined("none", code_family_names()) + " (default: the configuration's)")
      ->check(code_names())
      ->type_name("NAME,...");
  command
      ->add_option("--erasure", o->erasures,
                   joined("", names_of<ErasurePolicy>()) + " (default: the configuration's)")
      ->check(policies())
      ->type_name("NAME,...");
  declare_extent(command, o);
  add_engine(command, &o->run.engine, "what decodes and scores; fast checks rtl and cuda");
  add_json(command, &o->run.json, "all statistics");
  add_plot(command, &o->run.plot, "word failures against the rate, with closed forms");
  command
      ->add_option("--dump", o->run.dump,
                   "directory for the first miscorrection and the largest score errors, to replay")
      ->check(file_name())
      ->type_name("DIR");
  command->add_option("--replay", o->replay, "show a dumped case and check it again")
      ->check(file_name())
      ->type_name("FILE");
  command->add_flag("--details", o->details, "print every statistic");
  add_force(command, &o->run.force);
}

void complete_faults(const CLI::App& command, FaultsArguments* o) {
  const int models = !o->ber.empty() + !o->burst.empty() + !o->stuck.empty() + o->single_flips;
  if (!o->replay.empty()) {
    if (models != 0) throw CLI::ValidationError("--replay", "a case has its own faults; name none");
    return;
  }
  if (models != 1)
    throw CLI::ValidationError("faults", std::string(models == 0 ? "none named" : "several named") +
                                             "; give one of --ber, --burst, --stuck and "
                                             "--single-flips");
  if (o->burst.empty() != o->upset_rate.empty())
    throw CLI::ValidationError("--burst",
                               "requires --upset-rate, and --upset-rate requires --burst");
  commands::FaultsOptions& run = o->run;
  run.model.interleave = o->interleave;
  std::string rates = o->ber;
  if (!o->burst.empty()) {
    run.model.kind = faults::ModelKind::burst;
    run.model.widths = *faults::parse_widths(o->burst);
    rates = o->upset_rate;
  } else if (!o->stuck.empty()) {
    run.model.kind = faults::ModelKind::stuck;
    rates = o->stuck;
  } else if (o->single_flips) {
    run.model.kind = faults::ModelKind::single_flip;
    rates = "0";
  }
  for (const std::string& rate : faults::split(rates, ','))
    run.rates.push_back(*faults::parse_number(rate));
  if (!o->codes.empty()) run.codes = faults::split(o->codes, ',');
  if (!o->erasures.empty())
    for (const std::string& name : faults::split(o->erasures, ','))
      run.policies.push_back(*value_named<ErasurePolicy>(name));
  if (command.get_option("--trials")->count() == 0) {
    if (run.width > 0) run.trials = kTrialsOfWidth;
    if (o->single_flips) run.trials = kEveryBit;
  }
}

}  // namespace axelram::cli
