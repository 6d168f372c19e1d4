#include "tidemark/operators/base_interval_cost.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "tidemark/operators/base_intervals.h"
#include "tidemark/operators/slice_edges.h"
#include "tidemark/operators/slicing.h"
#include "tidemark/operators/window_families.h"

namespace tidemark {

namespace {

constexpr std::size_t kMostSlices = std::size_t{1} << 18;
// Some time in 2026, when nothing begins.
constexpr std::int64_t kSomeTime = 1'771'234'567'891;

// Expected numbers of keys by rows, a straight line between points that are 2 % apart: within a
// ten-thousandth.
class KeysOfRows {
 public:
  explicit KeysOfRows(const StreamShape& stream) : stream_(stream) {}

  double operator()(double rows) {
    if (rows <= 0) return 0;
    const int step = static_cast<int>(std::floor(std::log(rows) / std::log(kGrowth)));
    const double low = std::pow(kGrowth, step);
    const double from = at(step, low);
    return from + (at(step + 1, low * kGrowth) - from) * (rows - low) / (low * (kGrowth - 1));
  }

  // Of the slice. Row i lies at i * 1000 / rate, rounded down, and `time` after 1970: a slice of
  // few ms has a row or none by where it lies.
  double rows_of(const SliceEdges::Slice& slice) const {
    return rows_before(slice.end) - rows_before(slice.begin);
  }
  double rows_in(double ms) const { return stream_.rows_per_second * ms / 1000; }

 private:
  static constexpr double kGrowth = 1.02;

  double at(int step, double rows) {
    const auto [known, is_new] = known_.try_emplace(step, 0);
    if (is_new) known->second = expected_keys(stream_, rows);
    return known->second;
  }
  // From the second on in which the first slice begins, so that doubles are exact.
  double rows_before(std::int64_t time) const {
    constexpr std::int64_t kFirst = kSomeTime / 1000 * 1000;
    return std::ceil(rows_in(static_cast<double>(time - kFirst)));
  }

  const StreamShape& stream_;
  std::unordered_map<int, double> known_;
};

// The tree of BaseIntervals with numbers of entries in the place of entries. An interval is known
// by the range of slices in it, so no node needs to be moved when slices come and go.
class CountedIntervals {
 public:
  CountedIntervals(bool any_grouping, KeysOfRows& keys)
      : any_grouping_(any_grouping), keys_(keys) {}

  // Returns how many entries the slice has.
  double append(const SliceEdges::Slice& slice) {
    const double rows = keys_.rows_of(slice);
    // Of a slice without rows there is nothing, nor of an interval of such slices.
    if (rows == 0) return 0;
    slices_.push_back({slice.begin, covered_, keys_(rows)});
    covered_ += rows;
    slice_entries_ += slices_.back().entries;
    return slices_.back().entries;
  }

  void drop_before(std::int64_t time) {
    for (; first_ < slices_.size() && slices_[first_].begin < time; ++first_) {
      slice_entries_ -= slices_[first_].entries;
    }
    for (auto sum = sums_.begin(); sum != sums_.end() && sum->first.first < time;
         sum = sums_.erase(sum)) {
      sum_entries_ -= sum->second.entries;
    }
  }

  // Merges that it takes to add up the slices that begin in [from, to).
  double add_up(std::int64_t from, std::int64_t to) {
    merges_ = 0;
    if (first_ < slices_.size() && from < to) find_parts({first_, slices_.size()}, from, to);
    return merges_;
  }

  double entries() const { return slice_entries_ + sum_entries_; }
  std::size_t slices() const { return slices_.size() - first_; }

 private:
  struct Slice {
    std::int64_t begin;
    double covered_before;  // rows of slices before it
    double entries;
  };
  // Slices [begin, end), at least one.
  struct Range {
    std::size_t begin;
    std::size_t end;
    bool is_slice() const { return end - begin == 1; }
  };
  // [low, high] in time, and the bit by which its halves differ; of a slice where it begins.
  struct Interval {
    std::int64_t low;
    std::int64_t high;
    int bit;
  };
  struct Sum {
    double entries = 0;
    bool split = false;
  };

  // Times here are after 1970, so their bits are in the order of time.
  Interval interval_of(const Range& range) const {
    const std::int64_t first = slices_[range.begin].begin;
    if (range.is_slice()) return {first, first, -1};
    const auto differing = static_cast<std::uint64_t>(first ^ slices_[range.end - 1].begin);
    const int bit = static_cast<int>(std::bit_width(differing)) - 1;
    const std::int64_t mask = (std::int64_t{2} << bit) - 1;
    return {first & ~mask, first | mask, bit};
  }

  std::pair<Range, Range> halves_of(const Range& range, const Interval& interval) const {
    const std::int64_t middle = interval.low + (std::int64_t{1} << interval.bit);
    const auto begin = slices_.begin();
    const auto half =
        std::partition_point(begin + static_cast<std::ptrdiff_t>(range.begin),
                             begin + static_cast<std::ptrdiff_t>(range.end),
                             [middle](const Slice& slice) { return slice.begin < middle; });
    const auto at = static_cast<std::size_t>(half - begin);
    return {{range.begin, at}, {at, range.end}};
  }

  double covered(const Range& range) const {
    const double after = range.end == slices_.size() ? covered_ : slices_[range.end].covered_before;
    return after - slices_[range.begin].covered_before;
  }

  Sum& sum_of(const Interval& interval) { return sums_.at({interval.low, interval.bit}); }

  void find_parts(const Range& range, std::int64_t from, std::int64_t to) {
    const Interval interval = interval_of(range);
    if (interval.high < from || interval.low >= to) return;
    if (interval.low >= from && interval.high < to) {
      build(range);
      take_part(range);
      return;
    }
    const auto [left, right] = halves_of(range, interval);
    find_parts(left, from, to);
    find_parts(right, from, to);
  }

  void take_part(const Range& range) {
    const Interval interval = interval_of(range);
    if (range.is_slice()) {
      merges_ += slices_[range.begin].entries;
    } else if (const Sum& sum = sum_of(interval); !sum.split) {
      merges_ += sum.entries;
    } else {
      const auto [left, right] = halves_of(range, interval);
      take_part(left);
      take_part(right);
    }
  }

  void build(const Range& range) {
    const Interval interval = interval_of(range);
    if (range.is_slice() || sums_.contains({interval.low, interval.bit})) return;
    const auto [left, right] = halves_of(range, interval);
    build(left);
    build(right);
    Sum& sum = sums_[{interval.low, interval.bit}];
    std::uint8_t& untried = untried_[static_cast<std::size_t>(interval.bit)];
    if (untried > 0) {
      --untried;
      sum.split = true;
      return;
    }
    const double merged = entries_of(left) + entries_of(right);
    const double entries = keys_(covered(range));
    merges_ += merged;
    if (any_grouping_ && BaseIntervals::leaves_halves(merged, entries)) {
      sum.split = true;
      untried = BaseIntervals::kUntried;
    } else {
      sum.entries = entries;
      sum_entries_ += entries;
    }
  }

  // That are merged where the range is half of an interval.
  double entries_of(const Range& range) {
    if (range.is_slice()) return slices_[range.begin].entries;
    const Interval interval = interval_of(range);
    const Sum& sum = sum_of(interval);
    if (!sum.split) return sum.entries;
    const auto [left, right] = halves_of(range, interval);
    return entries_of(left) + entries_of(right);
  }

  bool any_grouping_;
  KeysOfRows& keys_;
  std::vector<Slice> slices_;
  std::size_t first_ = 0;  // those before it are dropped
  double covered_ = 0;
  std::map<std::pair<std::int64_t, int>, Sum> sums_;  // by where the interval begins, and its bit
  std::array<std::uint8_t, 64> untried_{};
  double slice_entries_ = 0;
  double sum_entries_ = 0;
  double merges_ = 0;
};

std::vector<Slicing> slicings_of(const std::vector<WindowSpec>& windows) {
  std::vector<Slicing> slicings;
  slicings.reserve(windows.size());
  for (const WindowSpec& window : windows) slicings.emplace_back(window);
  return slicings;
}

std::vector<WindowFamilies::Member> members_for(const std::vector<WindowSpec>& windows) {
  std::vector<WindowFamilies::Member> members;
  for (std::uint32_t i = 0; i < windows.size(); ++i) members.push_back({Slicing(windows[i]), i});
  return members;
}

// Lets full windows fire, one after the other, as SharedWindows does.
class Rehearsal {
 public:
  struct Firings {
    double merges = 0;
    double worst = 0;
    std::size_t firings = 0;
    double mean() const { return firings == 0 ? 0 : merges / static_cast<double>(firings); }
  };

  Rehearsal(const std::vector<WindowSpec>& windows, bool any_grouping, KeysOfRows& keys)
      : edges_(slicings_of(windows)),
        families_(members_for(windows)),
        intervals_(any_grouping, keys),
        fired_(windows.size()),
        first_(windows.size()) {
    // Every family's next window is the first that ends after this time.
    for (std::size_t i = 0; i < families_.size(); ++i) {
      const WindowFamilies::Member& shortest = families_[families_.first_due()].members.front();
      families_.go_on(shortest.slicing.first_open_locally(kSomeTime));
    }
    began_ = appended_through_ = families_.earliest_start();
    span_ = kSomeTime - began_;
  }

  // False if there are too many slices. What the first firings add up has been there for long in a
  // stream that goes on, so those are left out.
  bool run() {
    constexpr std::int64_t kSpans = 8;
    // How windows lie to powers of two changes from one to the next.
    constexpr std::size_t kFewestFirings = 1024;
    const std::size_t fewest = kFewestFirings * families_.size();
    for (std::size_t firings = 0; firings < kMostFirings; ++firings) {
      const std::int64_t end = families_[families_.first_due()].end;
      if (firings >= fewest && end > kSomeTime + kSpans * span_) break;
      if (!append_before(end)) return false;
      fire();
    }
    return true;
  }

  const Firings& of(std::size_t window) const {
    return fired_[window].firings > 0 ? fired_[window] : first_[window];
  }
  // At one time, of all windows together.
  double most_entries() const { return most_entries_; }
  // That are sealed in so many ms.
  double sealed_in(double ms) const {
    return appended_entries_ * ms / static_cast<double>(appended_through_ - began_);
  }
  double longest_window() const { return static_cast<double>(span_); }

 private:
  bool append_before(std::int64_t end) {
    while (appended_through_ < end) {
      const SliceEdges::Slice slice = edges_.slice_of(appended_through_);
      if (families_.holds(slice.begin)) appended_entries_ += intervals_.append(slice);
      appended_through_ = slice.end;
      if (intervals_.slices() > kMostSlices) return false;
    }
    return true;
  }

  void fire() {
    const WindowFamilies::Family& family = families_[families_.first_due()];
    std::int64_t summed_from = family.end;
    for (const WindowFamilies::Member& member : family.members) {
      const std::int64_t start = WindowFamilies::start_of(family, member);
      const double merges = intervals_.add_up(start, summed_from);
      summed_from = start;
      Firings& first = first_[member.specification];
      note(merges, first.firings == 0 ? first : fired_[member.specification]);
      most_entries_ = std::max(most_entries_, intervals_.entries());
    }
    families_.go_on(family.window + 1);
    intervals_.drop_before(families_.earliest_start());
  }

  static void note(double merges, Firings& firings) {
    firings.merges += merges;
    firings.worst = std::max(firings.worst, merges);
    ++firings.firings;
  }

  SliceEdges edges_;
  WindowFamilies families_;
  CountedIntervals intervals_;
  std::vector<Firings> fired_;
  std::vector<Firings> first_;
  std::int64_t began_ = 0;
  std::int64_t appended_through_ = 0;
  double appended_entries_ = 0;
  std::int64_t span_ = 0;  // of the longest window
  double most_entries_ = 0;
};

}  // namespace

std::vector<StreamCost> base_interval_costs(const std::vector<WindowSpec>& windows,
                                            bool any_grouping, const StateSize& state,
                                            const StreamShape& stream, std::int64_t delay) {
  KeysOfRows keys(stream);
  Rehearsal rehearsal(windows, any_grouping, keys);
  if (!rehearsal.run()) return {};
  const double entry_size = static_cast<double>(sizeof(EntryHeader) + state.all);
  const double most_keys = keys(keys.rows_in(rehearsal.longest_window()));
  // Of rows that the watermark has not come to, with the one that raises it.
  const double ahead = rehearsal.sealed_in(static_cast<double>(delay)) + 1;
  std::vector<StreamCost> costs;
  for (const WindowSpec& window : windows) {
    // Rows and results are those of any strategy that shares slices.
    StreamCost cost = stream_cost(window, Strategy::kRecompute, state, stream);
    const Rehearsal::Firings& firings = rehearsal.of(costs.size());
    cost.entries_per_slide =
        rehearsal.sealed_in(cost.rows_per_slide / stream.rows_per_second * 1000);
    cost.merges_per_slide = firings.mean();
    cost.worst_merges = firings.worst;
    cost.live_entries = rehearsal.most_entries() + ahead;
    cost.entry_bytes = cost.live_entries * entry_size;
    // What the window that fires is added up in.
    cost.running_bytes = most_keys * entry_size;
    costs.push_back(cost);
  }
  return costs;
}

}  // namespace tidemark
