#include "property/naive_firing.h"

#include <algorithm>
#include <string>
#include <utility>

#include "property/naive_aggregates.h"

namespace tidemark::test_support {
namespace {

ResultRow result_row(const WindowQuery& query, const NaiveState& state, const NaiveReport& report,
                     PaneTiming timing, ChangeKind change) {
  ResultRow row{state.number, report.bounds.start, report.bounds.end, state.keys,
                report.aggregates};
  if (query.reports_panes) {
    row.aggregates.emplace_back(std::string(to_string(timing)));
    row.aggregates.emplace_back(state.next_index);
    row.aggregates.emplace_back(std::string(to_string(change)));
  }
  return row;
}

bool says_the_same(const NaiveReport& a, const NaiveReport& b) {
  return a.bounds == b.bounds && to_text(a.aggregates) == to_text(b.aggregates);
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

NaiveFiring naive_fire(const WindowQuery& query, NaiveState& state, PaneTiming timing) {
  NaiveFiring firing;
  const bool discarding = query.accumulation == Accumulation::kDiscarding;
  if (discarding && state.rows_since_firing.empty()) return firing;
  const NaiveAggregates aggregates =
      naive_aggregates(query, discarding ? state.rows_since_firing : state.rows);
  const NaiveReport report{state.bounds, aggregates.cells};
  const auto say = [&](const NaiveReport& what, ChangeKind change) {
    firing.results.push_back(result_row(query, state, what, timing, change));
  };
  if (discarding) {
    say(report, ChangeKind::kInsert);
  } else {
    const bool updates = state.reports.size() == 1 && state.reports[0].bounds == state.bounds;
    if (updates && says_the_same(state.reports[0], report) && !query.repeat_unchanged) return {};
    if (query.accumulation == Accumulation::kRetracting) {
      for (const NaiveReport& old : state.reports) {
        say(old, updates ? ChangeKind::kUpdateBefore : ChangeKind::kDelete);
      }
    }
    say(report, updates ? ChangeKind::kUpdateAfter : ChangeKind::kInsert);
    state.reports = {report};
  }
  firing.overflows = aggregates.overflows;
  state.rows_since_firing.clear();
  ++state.next_index;
  return firing;
}

void naive_merge(NaiveState& state, const NaiveState& other) {
  append(state.rows, other.rows);
  std::sort(state.rows.begin(), state.rows.end());
  append(state.rows_since_firing, other.rows_since_firing);
  std::sort(state.rows_since_firing.begin(), state.rows_since_firing.end());
  append(state.reports, other.reports);
  state.next_index = std::max(state.next_index, other.next_index);
  state.rows_counted += other.rows_counted;
  if (!state.early_at || (other.early_at && *other.early_at < *state.early_at)) {
    state.early_at = other.early_at;
  }
}

}  // namespace tidemark::test_support
