#include "tidemark/operators/window_families.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tidemark/runtime/time.h"

namespace tidemark {

namespace {

std::int64_t length(const Slicing& slicing) { return slicing.origin_end() - slicing.origin(); }

}  // namespace

WindowFamilies::WindowFamilies(std::vector<Member> members) {
  no_gaps_ = std::any_of(members.begin(), members.end(),
                         [](const Member& member) { return !member.slicing.has_gaps(); });
  std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return length(a.slicing) < length(b.slicing);
  });
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> by_ends;
  for (Member& member : members) {
    std::size_t family = families_.size();
    if (member.slicing.slides()) {
      const std::int64_t slide = member.slicing.slide();
      const std::pair ends{slide, floor_mod(member.slicing.origin_end(), slide)};
      family = by_ends.try_emplace(ends, family).first->second;
    }
    if (family == families_.size()) families_.emplace_back();
    std::vector<Member>& its = families_[family].members;
    if (!its.empty()) {
      member.number_shift =
          (its.front().slicing.origin_end() - member.slicing.origin_end()) / member.slicing.slide();
    }
    its.push_back(std::move(member));
  }
  for (std::uint32_t i = 0; i < families_.size(); ++i) {
    families_[i].end = families_[i].start = kNoWatermark;
    due_.append({kNoWatermark, i});
  }
  due_.settle();
  starts_ = due_;
}

void WindowFamilies::go_on(std::int64_t window) {
  Family& family = families_[due_.earliest().sequence];
  family.window = window;
  family.end = family.members.front().slicing.local_window_end(window);
  family.start = start_of(family, family.members.back());
  due_.go_on_to(family.end);
}

void WindowFamilies::end() {
  Family& family = families_[due_.earliest().sequence];
  family.end = family.start = kEndOfTime;
  due_.go_on_to(kEndOfTime);
}

std::int64_t WindowFamilies::earliest_start() {
  while (true) {
    const std::int64_t start = families_[starts_.earliest().sequence].start;
    if (start == starts_.earliest().time) return start;
    starts_.go_on_to(start);
  }
}

bool WindowFamilies::holds(std::int64_t local) const {
  if (no_gaps_) return true;
  for (const Family& family : families_) {
    for (const Member& member : family.members) {
      if (!member.slicing.is_gap(member.slicing.local_slice_of(local))) return true;
    }
  }
  return false;
}

}  // namespace tidemark
