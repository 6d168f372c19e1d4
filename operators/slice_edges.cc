#include "tidemark/operators/slice_edges.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tidemark/runtime/time.h"

namespace tidemark {

namespace {
// Steps of the heap that cost about as much as one look at every sequence.
constexpr std::size_t kSequencesPerStep = 8;
constexpr std::size_t kFewSteps = 8;
}  // namespace

SliceEdges::SliceEdges(std::span<const Slicing> slicings) {
  for (const Slicing& slicing : slicings) {
    if (!slicing.ends_evenly()) calendar_.push_back(slicing);
  }
  for (const Slicing& slicing : calendar_) sequences_.push_back({0, 0, &slicing});
  for (const Slicing& slicing : slicings) {
    if (!slicing.ends_evenly()) continue;
    add(slicing.origin(), slicing.slide());
    add(slicing.origin_end(), slicing.slide());
  }
  const auto before = [](const Sequence& a, const Sequence& b) {
    return a.step != b.step ? a.step < b.step : a.phase < b.phase;
  };
  const auto first = sequences_.begin() + static_cast<std::ptrdiff_t>(calendar_.size());
  std::sort(first, sequences_.end(), before);
  const auto same = [](const Sequence& a, const Sequence& b) {
    return a.step == b.step && a.phase == b.phase;
  };
  sequences_.erase(std::unique(first, sequences_.end(), same), sequences_.end());
  if (!sequences_.empty()) jump_to(0);
}

void SliceEdges::add(std::int64_t phase, std::int64_t step) {
  sequences_.push_back({floor_mod(phase, step), step, nullptr});
}

SliceEdges::Slice SliceEdges::around(const Sequence& sequence, std::int64_t local) const {
  if (sequence.months != nullptr) {
    const std::int64_t slice = sequence.months->local_slice_of(local);
    return {sequence.months->local_slice_start(slice),
            sequence.months->local_slice_start(slice + 1)};
  }
  const std::int64_t begin = local - floor_mod(local - sequence.phase, sequence.step);
  return {begin, begin + sequence.step};
}

SliceEdges::Slice SliceEdges::search(std::int64_t local) const {
  Slice slice{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  for (const Sequence& sequence : sequences_) {
    const Slice its = around(sequence, local);
    slice.begin = std::max(slice.begin, its.begin);
    slice.end = std::min(slice.end, its.end);
  }
  return slice;
}

void SliceEdges::jump_to(std::int64_t local) {
  next_.clear();
  begin_ = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < sequences_.size(); ++i) {
    const Slice its = around(sequences_[i], local);
    begin_ = std::max(begin_, its.begin);
    next_.append({its.end, static_cast<std::uint32_t>(i)});
  }
  next_.settle();
}

bool SliceEdges::step_to(std::int64_t local) {
  std::size_t steps = kFewSteps + sequences_.size() / kSequencesPerStep;
  while (next_.earliest().time <= local) {
    if (steps-- == 0) return false;
    begin_ = next_.earliest().time;
    const Sequence& sequence = sequences_[next_.earliest().sequence];
    next_.go_on_to(sequence.months == nullptr ? begin_ + sequence.step
                                              : around(sequence, begin_).end);
  }
  return true;
}

SliceEdges::Slice SliceEdges::slice_of(std::int64_t local) {
  if (local < begin_) return search(local);
  if (!step_to(local)) jump_to(local);
  return {begin_, next_.earliest().time};
}

double SliceEdges::edges_per_ms() const {
  double edges = 0;
  // All edges lie at whole multiples of this from one of them.
  std::int64_t grid = 0;
  const Sequence* first = nullptr;
  for (const Sequence& sequence : sequences_) {
    if (sequence.months != nullptr) continue;
    if (first == nullptr) first = &sequence;
    grid = std::gcd(grid, std::gcd(sequence.step, sequence.phase - first->phase));
    edges += 1 / static_cast<double>(sequence.step);
  }
  return first == nullptr ? 0 : std::min(edges, 1 / static_cast<double>(grid));
}

}  // namespace tidemark
