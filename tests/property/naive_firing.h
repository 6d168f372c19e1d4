// What the firings of one window of one key say, by the mode of accumulation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "property/naive_windows.h"
#include "support/test_rows.h"
#include "tidemark/operators/query.h"

namespace tidemark::test_support {

// What an earlier firing said, and has not been replaced or taken back since.
struct NaiveReport {
  NaiveWindow bounds;
  std::vector<Cell> aggregates;
};

// One window of one key.
struct NaiveState {
  std::uint32_t number = 0;  // of the window specification
  NaiveWindow bounds;
  std::vector<Cell> keys;
  // In order of arrival, all of one vector.
  std::vector<const Row*> rows{};
  std::vector<const Row*> rows_since_firing{};
  std::vector<NaiveReport> reports{};
  std::int64_t next_index = 0;
  // Rows since the last firing that was due to a number of rows.
  std::int64_t rows_counted = 0;
  // When it fires next: early, and on time. Neither once its end - 1 has been passed.
  std::optional<EventTime> early_at{};
  std::optional<EventTime> on_time_at{};
};

struct NaiveFiring {
  std::vector<ResultRow> results;
  std::uint64_t overflows = 0;
};

// Reports the window's rows, with pane, index and change in the last cells if the query asks for
// them. Nothing comes out when there is nothing new to say.
NaiveFiring naive_fire(const WindowQuery& query, NaiveState& state, PaneTiming timing);

// Takes the rows, reports and timers of `other` into `state`, whose bounds are the common ones.
void naive_merge(NaiveState& state, const NaiveState& other);

}  // namespace tidemark::test_support
