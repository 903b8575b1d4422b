#include "faults_options.hpp"

#include <cmath>
#include <limits>

#include "arguments.hpp"
#include "axelram/code.hpp"
#include "axelram/faults/text.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/interpolate.hpp"

namespace axelram::cli {
namespace {

/// "first, a, b" of the names, without `first` if it is empty.
std::string joined(std::string first, const std::vector<std::string>& names) {
  for (const std::string& name : names) first += (first.empty() ? "" : ", ") + name;
  return first;
}

bool same_text(const std::string& a, const std::string& b) { return a == b; }
bool same_number(const std::string& a, const std::string& b) {
  return a == b || (faults::parse_number(a) && faults::parse_number(a) == faults::parse_number(b));
}

/// A list separated by commas, each entry once; `complaint` is empty for an entry that is right.
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
    // The generator compares 32 bits: a lower rate would be none at all.
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

void declare_model(CLI::App* command, FaultsOptions* o) {
  command->add_option("--ber", o->ber, "bit error rates: every bit flips on its own")
      ->check(rates())
      ->type_name("P,...");
  command
      ->add_option("--burst", o->burst,
                   "upsets of adjacent bits: their widths and how often each, relative")
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

void declare_extent(CLI::App* command, FaultsOptions* o) {
  const std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  CLI::Option* trials =
      command
          ->add_option("--trials", o->trials,
                       "times that the whole trace is hit (default 100; with --width at most "
                       "100000; with --single-flips every bit once)")
          ->check(whole_number(1, most))
          ->type_name("N");
  command
      ->add_option("--codewords", o->codewords, "instead: enough trials for N words of each code")
      ->check(whole_number(1, 1'000'000'000'000))
      ->type_name("N")
      ->excludes(trials);
  command
      ->add_option("--width", o->width,
                   "stop where the 95 % interval of word failures is that narrow, relative to "
                   "their rate")
      ->check(probability(1))
      ->type_name("R");
  command
      ->add_option("--score-trials", o->score_trials,
                   "trials that are scored, the first ones (default 100)")
      ->check(whole_number(0, most))
      ->type_name("N");
  add_seed(command, &o->seed, "seed of all faults");
  command->add_option("--threads", o->threads, "default: one for each core; changes no result")
      ->check(whole_number(1, 1024))
      ->type_name("N");
}

}  // namespace

void declare_faults(CLI::App* command, FaultsOptions* o) {
  add_config(command, &o->config);
  add_trace(command, &o->trace)->required()->option_text("(required)");
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
  command
      ->add_option("--engine", o->engine, "that decodes and scores: golden (default), rtl or cuda")
      ->check(CLI::IsMember({"golden", "rtl", "cuda"}))
      ->type_name("NAME");
  add_json(command, &o->json, "all statistics");
  command->add_option("--plot", o->plot, "word failures against the rate, with closed forms")
      ->check(file_name())
      ->type_name("FILE.svg");
  command
      ->add_option("--dump", o->dump,
                   "folder for the first miscorrection and the largest score errors, to replay")
      ->check(file_name())
      ->type_name("DIR");
  command->add_option("--replay", o->replay, "show a dumped case and check it again")
      ->check(file_name())
      ->type_name("FILE");
  command->add_flag("--details", o->details, "print every statistic");
  add_force(command, &o->force);
}

FaultsRequest faults_request(const FaultsOptions& o) {
  const int models = !o.ber.empty() + !o.burst.empty() + !o.stuck.empty() + o.single_flips;
  if (!o.replay.empty()) {
    if (models != 0) throw CLI::ValidationError("--replay", "a case has its own faults; name none");
    return {};
  }
  if (models != 1)
    throw CLI::ValidationError("faults", std::string(models == 0 ? "none named" : "several named") +
                                             "; give one of --ber, --burst, --stuck and "
                                             "--single-flips");
  if (o.burst.empty() != o.upset_rate.empty())
    throw CLI::ValidationError("--burst", "goes with --upset-rate, and --upset-rate with it");
  FaultsRequest request;
  request.model.interleave = o.interleave;
  std::string rates = o.ber;
  if (!o.burst.empty()) {
    request.model.kind = faults::ModelKind::burst;
    request.model.widths = *faults::parse_widths(o.burst);
    rates = o.upset_rate;
  } else if (!o.stuck.empty()) {
    request.model.kind = faults::ModelKind::stuck;
    rates = o.stuck;
  } else if (o.single_flips) {
    request.model.kind = faults::ModelKind::single_flip;
    rates = "0";
  }
  for (const std::string& rate : faults::split(rates, ','))
    request.rates.push_back(*faults::parse_number(rate));
  return request;
}

}  // namespace axelram::cli
