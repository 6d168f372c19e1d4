// When the window of a key fires, where end of window, early and late firings do not say enough.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "tidemark/runtime/batch.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

// What a trigger makes of a row or a timer. Purging drops the window's content, not the window.
enum class TriggerResult : std::uint8_t {
  kContinue = 0,
  kFire = 1,
  kPurge = 2,
  kFireAndPurge = 3,
};

constexpr TriggerResult operator|(TriggerResult a, TriggerResult b) {
  return static_cast<TriggerResult>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool fires(TriggerResult result) {
  return (static_cast<std::uint8_t>(result) & std::uint8_t{1}) != 0;
}
constexpr bool purges(TriggerResult result) {
  return (static_cast<std::uint8_t>(result) & std::uint8_t{2}) != 0;
}

// A row as triggers see it.
class TriggerRow {
 public:
  TriggerRow(const Batch& batch, std::size_t first_value, std::size_t row)
      : batch_(batch), first_value_(first_value), row_(row) {}

  EventTime time() const { return batch_.times()[row_]; }
  // Value column `input` of the query as a number, which loses digits of integers above 2^53;
  // nothing for NULL.
  std::optional<double> number(std::size_t input) const;

 private:
  const Batch& batch_;
  std::size_t first_value_;
  std::size_t row_;
};

// What a trigger can know and do about its window. Times in ms.
class TriggerContext {
 public:
  virtual ~TriggerContext() = default;
  virtual EventTime window_start() const = 0;
  // Exclusive; kEndOfTime for a global window.
  virtual EventTime window_end() const = 0;
  virtual EventTime watermark() const = 0;
  // The clock, ms since the epoch.
  virtual EventTime processing_time() const = 0;

  // on_event_time(time) will be called once the watermark is at or past `time`, unless the window
  // has gone. The same time asked for twice counts once. The window's last ms, end - 1, need not be
  // asked for.
  virtual void at_event_time(EventTime time) = 0;
  // The same by the clock.
  virtual void at_processing_time(EventTime time) = 0;

  // The watermark has passed the window's last ms.
  bool complete() const {
    return window_end() == kEndOfTime ? watermark() == kEndOfTime : watermark() >= window_end() - 1;
  }
};

// One object per key and window, with state of its own in members; a query holds a prototype.
// Triggers repeat: one that has fired goes on for the rows and timers that come. Not thread-safe.
class Trigger {
 public:
  virtual ~Trigger() = default;

  // A trigger of the same kind for a new window.
  virtual std::unique_ptr<Trigger> fresh() const = 0;
  // True if it keeps nothing, so that all windows can share one object.
  virtual bool stateless() const { return false; }

  // After the row has been added to the window.
  virtual TriggerResult on_row(const TriggerRow& row, TriggerContext& window) = 0;
  // Called for each time asked for, and for end - 1 of every window but a global one, in order.
  virtual TriggerResult on_event_time(EventTime time, TriggerContext& window) {
    (void)time, (void)window;
    return TriggerResult::kContinue;
  }
  virtual TriggerResult on_processing_time(EventTime time, TriggerContext& window) {
    (void)time, (void)window;
    return TriggerResult::kContinue;
  }

  // Sessions need a trigger that can merge: `other`, of the same kind, belongs to a session that
  // this one's takes in; it is gone afterwards.
  virtual bool can_merge() const { return false; }
  virtual void merge(const Trigger& other) { (void)other; }
  // After merging: the window has new bounds and no timers of triggers left; ask for them again.
  virtual void on_merged(TriggerContext& window) { (void)window; }

  // It will not fire again. Rows still enter its window.
  virtual bool finished() const { return false; }
};

using TriggerPtr = std::shared_ptr<const Trigger>;

// At the end of the window, and then at each late row within allowed lateness: what windows do
// without a trigger. `early` decides before the end, `late` after it; both may be null.
TriggerPtr after_watermark(TriggerPtr early = nullptr, TriggerPtr late = nullptr);
// Every `rows` rows.
TriggerPtr after_count(std::int64_t rows);
// `delay` of processing time after the first row since the last firing.
TriggerPtr after_delay(std::chrono::milliseconds delay);
// Where one watermark passes several multiples, nothing has changed between them.
enum class PassedMultiples : std::uint8_t { kFireOnce, kFireEach };
// At every multiple of `interval` of event time that comes after a row, while the window is open;
// multiples count from the epoch.
TriggerPtr every_event_time(std::chrono::milliseconds interval,
                            PassedMultiples passed = PassedMultiples::kFireOnce);
// `interval` of processing time after the first row, and again after each firing.
TriggerPtr every_processing_time(std::chrono::milliseconds interval);
// When value column `input` is more than `threshold` away from its value at the last firing, or in
// the window's first row. NULLs are passed over. Cannot merge, so not for sessions.
TriggerPtr delta(std::size_t input, double threshold);
// When any of the two would fire.
TriggerPtr any_of(TriggerPtr a, TriggerPtr b);
// As `main` does until `until` fires for the first time; this is the last firing.
TriggerPtr or_finally(TriggerPtr main, TriggerPtr until);
// Begins again with a fresh `trigger` whenever it has finished.
TriggerPtr repeatedly(TriggerPtr trigger);
// Drops the window's content at each firing.
TriggerPtr purging(TriggerPtr trigger);
// Never; a window's content is lost with it.
TriggerPtr never();

}  // namespace tidemark
