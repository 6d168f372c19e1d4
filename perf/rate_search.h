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

// Doubles or halves the rate until one that is sustained lies below one that is not, then bisects
// the factor between them. Measurements are noisy: a rate that fails is tried again, and a third
// time if that says otherwise; the rate that is found has been sustained twice. The same answers
// give the same search.
class RateSearch {
 public:
  explicit RateSearch(const RateSearchLimits& limits) : limits_(limits) {}

  // The rate to try next, or nothing when the search is over.
  std::optional<std::uint64_t> next() const;
  // What trying `rate`, from next(), said.
  void answer(std::uint64_t rate, bool sustained);

  // The highest rate below all those that are not sustained; nothing if there is none.
  std::optional<std::uint64_t> highest_sustained() const;
  // Even the highest rate allowed was sustained, so the true one may lie above.
  bool at_limit() const { return highest_sustained() == limits_.highest; }

 private:
  struct Tries {
    int sustained = 0;
    int failed = 0;

    bool good() const { return sustained > failed; }
    bool bad() const { return failed >= 2 && failed > sustained; }
    bool confirmed() const { return sustained >= 2; }
  };

  std::optional<std::uint64_t> lowest_bad() const;

  RateSearchLimits limits_;
  std::map<std::uint64_t, Tries> tries_;
  std::size_t steps_ = 0;
};

}  // namespace tidemark
