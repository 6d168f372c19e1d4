#include "tidemark/operators/keyed_window_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tidemark/operators/key_window.h"
#include "tidemark/operators/session_windows.h"

namespace tidemark {

namespace {

constexpr double kKeyedHeaderBytes = sizeof(EntryHeader);
constexpr double kOneSecond = 1000;

double rows_of_stretch(const StreamShape& stream, double ms) {
  return stream.rows_per_second * ms / kOneSecond;
}

// What the allocator takes for a small block: its own 8 bytes before it, in steps of 16.
double block_bytes(double bytes) { return std::max(24.0, std::ceil((bytes + 8) / 16) * 16 - 8); }

double room_for(double elements) {
  return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(std::max(elements, 1.0))));
}

// At most at one time, of so many elements that take `each` and a place in a vector, which doubles:
// its old half lies beside the new whole when the elements fill it.
double peak_bytes(double elements, double each, double place) {
  const double room = room_for(elements);
  return std::max(elements * each + room * place, room / 2 * each + room * 3 / 2 * place);
}

// A row begins a session if its key has had none for a gap.
StreamCost session_cost(const WindowQuery& query, const WindowSpec& window,
                        const StreamShape& stream) {
  const double gap = std::floor(rows_of_stretch(stream, static_cast<double>(window.size)));
  const double began = expected_keys(stream, gap + 1) - expected_keys(stream, gap);
  StreamCost cost;
  cost.rows_per_slide = stream.rows_per_second;
  cost.results_per_slide = cost.entries_per_slide = began * stream.rows_per_second;
  // A session is open for a gap behind its last row. Of rows out of order half of those that are
  // ahead of the watermark are still to come.
  const auto behind = static_cast<double>(query.delay - std::min(stream.disorder, query.delay) / 2);
  const double delay = std::floor(rows_of_stretch(stream, behind));
  cost.live_entries = expected_keys(stream, gap + delay + 1) +
                      cost.results_per_slide * static_cast<double>(query.lateness) / kOneSecond;
  return cost;
}

void add_session_records(const StateSize& state, const StreamShape& stream, StreamCost& cost) {
  // Keys are looked for that are not needed any more when they are so many more.
  constexpr double kFewKeys = 1024;
  constexpr double kPage = 256;
  // Timers are in blocks of 62; of the buckets that are in use half a block is empty.
  constexpr double kTimers = 62;
  constexpr double kTimerBlock = 256;
  constexpr double kBucketsInUse = 64;
  const double record = kKeyedHeaderBytes + static_cast<double>(state.all) + sizeof(SessionRecord);
  const double slots = std::max(cost.live_entries, std::min(static_cast<double>(stream.keys),
                                                            1.25 * cost.live_entries + kFewKeys));
  cost.entry_bytes = cost.live_entries * record;
  cost.running_bytes = std::ceil(slots / kPage) * kPage * record - cost.entry_bytes;
  cost.index_bytes = peak_bytes(cost.live_entries / kTimers + kBucketsInUse / 2, 0, kTimerBlock) +
                     peak_bytes(slots / kPage, 0, sizeof(std::byte*));
}

// Rows that a key's window keeps: those that are merged afresh when it fires.
double rows_kept(const WindowQuery& query, const WindowSpec& window) {
  const bool overlaps = window.kind == WindowKind::kCount && window.slide != window.size;
  return overlaps && query.evictor == nullptr ? static_cast<double>(window.size + window.slide) : 0;
}

void add_key_windows(const WindowQuery& query, const WindowSpec& window, const StateSize& state,
                     const StreamShape& stream, StreamCost& cost) {
  constexpr double kListed = sizeof(KeyWindow*);
  constexpr double kTimer = sizeof(EventTime) + sizeof(KeyWindow*);
  // Number and slot, with the links of a hash table.
  constexpr double kNumbered = 40 + 12;
  const double live = cost.live_entries;
  const double entry = kKeyedHeaderBytes + static_cast<double>(state.all);
  cost.entry_bytes = live * entry;
  double beside = block_bytes(sizeof(KeyWindow)) + block_bytes(entry) - entry;
  if (const double rows = rows_kept(query, window); rows > 0) {
    const double cells = static_cast<double>(query.values.size()) * sizeof(std::uint64_t);
    beside += room_for(rows) * (sizeof(EventTime) + cells + sizeof(std::uint32_t));
  }
  if (has_slices(window.kind)) beside += kNumbered;
  cost.running_bytes = live * beside;
  cost.index_bytes =
      peak_bytes(live, entry + beside, kListed + kTimer) - cost.entry_bytes - cost.running_bytes;
  if (!has_slices(window.kind)) {
    cost.index_bytes += kListed * room_for(static_cast<double>(stream.keys));
  }
}

std::string what_is_not_predicted(const WindowQuery& query, const WindowSpec& window) {
  if (window.gap_input != WindowSpec::kFixedGap) {
    return "sessions, as each row has a gap of its own";
  }
  if (query.evictor != nullptr) return "kept rows and their bytes, which the evictor decides on";
  if (query.state_ttl) return "windows that the state's time to live ends before their time";
  if (query.trigger != nullptr) return "results, which the trigger decides on";
  if (query.early.kind != EarlyFiring::Kind::kNone) {
    return "early results, and bytes of what windows have said before";
  }
  const bool has_late_rows =
      window.kind != WindowKind::kCount && window.kind != WindowKind::kGlobal;
  if (query.lateness > 0 && has_late_rows) return "bytes of what windows have said before";
  return "";
}

}  // namespace

KeyedWindowCost keyed_window_cost(const WindowQuery& query, const WindowSpec& window,
                                  const StateSize& state, const StreamShape& stream) {
  KeyedWindowCost known{{}, what_is_not_predicted(query, window)};
  StreamCost& cost = known.cost;
  cost.rows_per_slide = stream.rows_per_second;
  switch (window.kind) {
    case WindowKind::kSession:
      if (window.gap_input != WindowSpec::kFixedGap) return known;
      cost = session_cost(query, window, stream);
      if (SessionWindows::can_hold(query, window)) {
        add_session_records(state, stream, cost);
        return known;
      }
      break;
    case WindowKind::kCount: {
      // A window that is full is gone, unless its rows are needed for the next one.
      const double size = static_cast<double>(window.size);
      const double open = window.slide == window.size ? (size - 1) / size : 1;
      cost.results_per_slide = stream.rows_per_second / static_cast<double>(window.slide);
      cost.live_entries = static_cast<double>(stream.keys) * open;
      break;
    }
    case WindowKind::kGlobal:
      cost.live_entries = static_cast<double>(stream.keys);
      break;
    default:
      cost = stream_cost(window, Strategy::kBuckets, state, stream, {query.delay, query.lateness});
  }
  add_key_windows(query, window, state, stream, cost);
  return known;
}

}  // namespace tidemark
