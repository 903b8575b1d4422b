#include "needle_facts.hpp"

#include <array>
#include <vector>

#include "axelram/draws/draws.hpp"

namespace axelram::commands {
namespace {

constexpr std::array kPlaces = {"Lisbon",  "Oslo", "Nairobi", "Quito",  "Hanoi", "Dakar",
                                "Tallinn", "Lima", "Ankara",  "Havana", "Minsk", "Perth"};
constexpr std::array kWords = {"amber",  "basalt", "cedar",  "delta",  "ember",  "fjord",
                               "garnet", "harbor", "island", "jasper", "kernel", "lagoon",
                               "meadow", "nectar", "orchid", "pepper"};

/// Numbers of one fact in the order drawn; places come first, each once.
class Drawn {
 public:
  Drawn(std::uint64_t seed, std::size_t trial, std::size_t places)
      : draws_(seed, draws::Purpose::needles, trial, 0),
        places_(draws_.choose(places, kPlaces.size())) {}

  std::string place(std::size_t i) const { return kPlaces[places_[i]]; }
  /// first .. first + count - 1
  int number(int first, int count) {
    return first + static_cast<int>(count * draws_.uniform(kPlaces.size() + next_++));
  }

 private:
  draws::Draws draws_;
  std::vector<std::size_t> places_;
  std::size_t next_ = 0;
};

Fact secret_number(Drawn drawn) {
  const std::string begin = "The secret number of " + drawn.place(0) + " is";
  const std::string number = std::to_string(drawn.number(1000, 9000));
  return {"\n" + begin + " " + number + ".\n", "\n" + begin, " " + number};
}

/// Words and numbers in a row, of which no part follows from another.
Fact identifier(Drawn drawn) {
  std::string name = " ";
  for (int word = 0; word < 6; ++word) {
    name += kWords[static_cast<std::size_t>(drawn.number(0, kWords.size()))];
    name += "_" + std::to_string(drawn.number(10, 90)) + (word < 5 ? "_" : "");
  }
  const std::string begin = "The identifier of " + drawn.place(0) + " is";
  return {"\n" + begin + name + ".\n", "\n" + begin, name};
}

/// The question shows the form of an answer with two other places.
Fact sum(Drawn drawn) {
  const auto added = [](int a, int b) {
    return " " + std::to_string(a) + " + " + std::to_string(b) + " = " + std::to_string(a + b);
  };
  const auto pair = [&](std::size_t i) {
    return "Boats of " + drawn.place(i) + " and " + drawn.place(i + 1) + " together:";
  };
  const int a = drawn.number(11, 80), b = drawn.number(11, 80);
  return {"\n" + drawn.place(0) + " has " + std::to_string(a) + " boats, " + drawn.place(1) +
              " has " + std::to_string(b) + " boats.\n",
          "\n" + pair(2) + added(23, 45) + "\n" + pair(0), added(a, b)};
}

}  // namespace

Fact fact_of(NeedleTask task, std::uint64_t seed, std::size_t trial) {
  switch (task) {
    case NeedleTask::copy:
      return identifier(Drawn(seed, trial, 1));
    case NeedleTask::sum:
      return sum(Drawn(seed, trial, 4));
    case NeedleTask::fact:
      break;
  }
  return secret_number(Drawn(seed, trial, 1));
}

}  // namespace axelram::commands
