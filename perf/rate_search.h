// Searches the highest rate that a system sustains; measures nothing itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace tidemark {

struct RateSearchLimits {
  std::uint64_t first = 1;    // rate to begin with
  std::uint64_t lowest = 1;   // 1 <= lowest <= first <= highest
  std::uint64_t highest = 1;  // never tries more
  // Ends when a rate that is sustained and one that is not are at most this factor apart.
  double precision = 1.05;
  std::size_t most_steps = 40;
};

// What trying a rate says of the rates around it.
enum class RateOutcome {
  kSustained,
  kOverloaded,  // ever more rows wait to be sent: no higher rate can be sustained
  // The backlog is steady, but results came too late, or there were none. That bounds nothing: a
  // queue grows with the rate, but what waits for event time waits the shorter the faster it runs.
  kLate,
};

struct RateAnswer {
  RateOutcome outcome = RateOutcome::kSustained;
  // The latency that was judged, in any unit; nothing if there was no result.
  std::optional<double> latency;
};

// Doubles or halves the rate until one that is sustained lies below one that is not, then bisects
// the factor between them. While no rate is sustained and the last ones are late but not
// overloaded, higher ones are tried as long as latency falls with them, then lower ones until it
// has grown by half twice in a row. Measurements are noisy: a rate that fails is tried again, and a
// third time if that says otherwise; the rate that is found has been sustained twice. The same
// answers give the same search.
class RateSearch {
 public:
  explicit RateSearch(const RateSearchLimits& limits) : limits_(limits) {}

  // The rate to try next, or nothing when the search is over.
  std::optional<std::uint64_t> next() const;
  // What trying `rate`, from next(), said.
  void answer(std::uint64_t rate, const RateAnswer& answer);

  // The highest rate that is sustained and lies below all those that are not, but for late ones
  // below every rate that is; nothing if there is none.
  std::optional<std::uint64_t> highest_sustained() const;
  // Even the highest rate allowed was sustained, so the true one may lie above.
  bool at_limit() const { return highest_sustained() == limits_.highest; }

 private:
  struct Tries {
    int sustained = 0;
    int failed = 0;
    int overloaded = 0;             // of those that failed
    std::optional<double> latency;  // the shortest

    bool good() const { return sustained > failed; }
    bool bad() const { return failed >= 2 && failed > sustained; }
    bool late() const { return bad() && 2 * overloaded < failed; }
    bool confirmed() const { return sustained >= 2; }
  };

  std::optional<std::uint64_t> next_above(std::uint64_t good) const;
  std::optional<std::uint64_t> next_without_good() const;
  std::optional<std::uint64_t> next_upwards() const;
  std::optional<std::uint64_t> next_downwards() const;
  // Whether latency has grown at each of the last two lower rates.
  bool grows_downwards() const;
  // A rate between the two, unless they are within the precision.
  std::optional<std::uint64_t> between(std::uint64_t low, std::uint64_t high) const;

  RateSearchLimits limits_;
  std::map<std::uint64_t, Tries> tries_;
  std::size_t steps_ = 0;
};

}  // namespace tidemark
