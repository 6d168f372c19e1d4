#include "tidemark/operators/trigger.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace tidemark {

std::optional<double> TriggerRow::number(std::size_t input) const {
  const Column& column = batch_.column(first_value_ + input);
  if (column.is_null(row_)) return std::nullopt;
  if (column.type() == ColumnType::kDouble) return column.doubles()[row_];
  return static_cast<double>(column.int64s()[row_]);
}

namespace {

std::unique_ptr<Trigger> fresh_or_null(const Trigger* trigger) {
  return trigger == nullptr ? nullptr : trigger->fresh();
}

TriggerPtr required(TriggerPtr trigger, const char* where) {
  if (trigger == nullptr) {
    throw std::invalid_argument(std::string(where) + " needs a trigger, got none");
  }
  return trigger;
}

std::int64_t positive(std::int64_t value, const char* where) {
  if (value <= 0) {
    throw std::invalid_argument(std::string(where) + " must be positive, got " +
                                std::to_string(value));
  }
  return value;
}

class AfterWatermark final : public Trigger {
 public:
  AfterWatermark(std::unique_ptr<Trigger> early, std::unique_ptr<Trigger> late)
      : early_(std::move(early)), late_(std::move(late)) {}

  std::unique_ptr<Trigger> fresh() const override {
    return std::make_unique<AfterWatermark>(fresh_or_null(early_.get()),
                                            fresh_or_null(late_.get()));
  }
  bool stateless() const override { return early_ == nullptr && late_ == nullptr; }

  TriggerResult on_row(const TriggerRow& row, TriggerContext& window) override {
    if (window.complete()) {
      return late_ == nullptr ? TriggerResult::kFire : late_->on_row(row, window);
    }
    return early_ == nullptr ? TriggerResult::kContinue : early_->on_row(row, window);
  }

  // A timer counts as early by its own time, however far the watermark has jumped over it: how far
  // it jumps at once is a matter of batches. At the end of the input windows are complete.
  TriggerResult on_event_time(EventTime time, TriggerContext& window) override {
    const EventTime last = window.window_end() == kEndOfTime ? kEndOfTime : window.window_end() - 1;
    if (time == last) return TriggerResult::kFire;
    if (window.watermark() == kEndOfTime) return TriggerResult::kContinue;
    Trigger* part = time < last ? early_.get() : late_.get();
    return part == nullptr ? TriggerResult::kContinue : part->on_event_time(time, window);
  }

  TriggerResult on_processing_time(EventTime time, TriggerContext& window) override {
    Trigger* part = window.complete() ? late_.get() : early_.get();
    return part == nullptr ? TriggerResult::kContinue : part->on_processing_time(time, window);
  }

  bool can_merge() const override {
    return (early_ == nullptr || early_->can_merge()) && (late_ == nullptr || late_->can_merge());
  }
  void merge(const Trigger& other) override {
    const auto& same = static_cast<const AfterWatermark&>(other);
    if (early_ != nullptr) early_->merge(*same.early_);
    if (late_ != nullptr) late_->merge(*same.late_);
  }
  void on_merged(TriggerContext& window) override {
    if (early_ != nullptr) early_->on_merged(window);
    if (late_ != nullptr) late_->on_merged(window);
  }

 private:
  std::unique_ptr<Trigger> early_;
  std::unique_ptr<Trigger> late_;
};

class AfterCount final : public Trigger {
 public:
  explicit AfterCount(std::int64_t rows) : rows_(rows) {}

  std::unique_ptr<Trigger> fresh() const override { return std::make_unique<AfterCount>(rows_); }
  TriggerResult on_row(const TriggerRow&, TriggerContext&) override {
    if (++count_ < rows_) return TriggerResult::kContinue;
    count_ = 0;
    return TriggerResult::kFire;
  }
  bool can_merge() const override { return true; }
  void merge(const Trigger& other) override {
    count_ += static_cast<const AfterCount&>(other).count_;
  }

 private:
  std::int64_t rows_;
  std::int64_t count_ = 0;
};

class AfterDelay final : public Trigger {
 public:
  explicit AfterDelay(std::int64_t delay) : delay_(delay) {}

  std::unique_ptr<Trigger> fresh() const override { return std::make_unique<AfterDelay>(delay_); }
  TriggerResult on_row(const TriggerRow&, TriggerContext& window) override {
    if (deadline_) return TriggerResult::kContinue;
    deadline_ = saturating_add(window.processing_time(), delay_);
    window.at_processing_time(*deadline_);
    return TriggerResult::kContinue;
  }
  TriggerResult on_processing_time(EventTime time, TriggerContext&) override {
    if (!deadline_ || time < *deadline_) return TriggerResult::kContinue;
    deadline_.reset();
    return TriggerResult::kFire;
  }
  bool can_merge() const override { return true; }
  void merge(const Trigger& other) override {
    const auto& theirs = static_cast<const AfterDelay&>(other).deadline_;
    if (theirs) deadline_ = deadline_ ? std::min(*deadline_, *theirs) : *theirs;
  }
  void on_merged(TriggerContext& window) override {
    if (deadline_) window.at_processing_time(*deadline_);
  }

 private:
  std::int64_t delay_;
  std::optional<EventTime> deadline_;
};

class EveryEventTime final : public Trigger {
 public:
  EveryEventTime(std::int64_t interval, PassedMultiples passed)
      : interval_(interval), passed_(passed) {}

  std::unique_ptr<Trigger> fresh() const override {
    return std::make_unique<EveryEventTime>(interval_, passed_);
  }
  TriggerResult on_row(const TriggerRow& row, TriggerContext& window) override {
    if (!next_) ask(multiple_after(row.time()), window);
    return TriggerResult::kContinue;
  }
  TriggerResult on_event_time(EventTime time, TriggerContext& window) override {
    if (!next_ || time != *next_) return TriggerResult::kContinue;
    next_.reset();
    const EventTime watermark = window.watermark();
    if (watermark != kEndOfTime) {
      const bool skip = passed_ == PassedMultiples::kFireOnce && watermark > time;
      ask(multiple_after(skip ? watermark : time), window);
    }
    return TriggerResult::kFire;
  }
  bool can_merge() const override { return true; }
  void merge(const Trigger& other) override {
    const auto& theirs = static_cast<const EveryEventTime&>(other).next_;
    if (theirs) next_ = next_ ? std::min(*next_, *theirs) : *theirs;
  }
  void on_merged(TriggerContext& window) override {
    if (next_) window.at_event_time(*next_);
  }

 private:
  EventTime multiple_after(EventTime time) const {
    return saturating_add(time - floor_mod(time, interval_), interval_);
  }
  // Beyond the window's end there is nothing to ask for.
  void ask(EventTime time, TriggerContext& window) {
    if (time == kEndOfTime || time >= window.window_end() - 1) return;
    next_ = time;
    window.at_event_time(time);
  }

  std::int64_t interval_;
  PassedMultiples passed_;
  std::optional<EventTime> next_;
};

class EveryProcessingTime final : public Trigger {
 public:
  explicit EveryProcessingTime(std::int64_t interval) : interval_(interval) {}

  std::unique_ptr<Trigger> fresh() const override {
    return std::make_unique<EveryProcessingTime>(interval_);
  }
  TriggerResult on_row(const TriggerRow&, TriggerContext& window) override {
    if (!next_) ask(window);
    return TriggerResult::kContinue;
  }
  TriggerResult on_processing_time(EventTime time, TriggerContext& window) override {
    if (!next_ || time < *next_) return TriggerResult::kContinue;
    ask(window);
    return TriggerResult::kFire;
  }
  bool can_merge() const override { return true; }
  void merge(const Trigger& other) override {
    const auto& theirs = static_cast<const EveryProcessingTime&>(other).next_;
    if (theirs) next_ = next_ ? std::min(*next_, *theirs) : *theirs;
  }
  void on_merged(TriggerContext& window) override {
    if (next_) window.at_processing_time(*next_);
  }

 private:
  void ask(TriggerContext& window) {
    next_ = saturating_add(window.processing_time(), interval_);
    window.at_processing_time(*next_);
  }

  std::int64_t interval_;
  std::optional<EventTime> next_;
};

class Delta final : public Trigger {
 public:
  Delta(std::size_t input, double threshold) : input_(input), threshold_(threshold) {}

  std::unique_ptr<Trigger> fresh() const override {
    return std::make_unique<Delta>(input_, threshold_);
  }
  TriggerResult on_row(const TriggerRow& row, TriggerContext&) override {
    const std::optional<double> value = row.number(input_);
    if (!value) return TriggerResult::kContinue;
    if (!last_) {
      last_ = value;
      return TriggerResult::kContinue;
    }
    if (!(std::fabs(*value - *last_) > threshold_)) return TriggerResult::kContinue;
    last_ = value;
    return TriggerResult::kFire;
  }

 private:
  std::size_t input_;
  double threshold_;
  std::optional<double> last_;
};

// Two triggers that see everything; `kFinal` ends with the second one's firing.
template <bool kFinal>
class Both final : public Trigger {
 public:
  Both(std::unique_ptr<Trigger> first, std::unique_ptr<Trigger> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  std::unique_ptr<Trigger> fresh() const override {
    return std::make_unique<Both>(first_->fresh(), second_->fresh());
  }
  TriggerResult on_row(const TriggerRow& row, TriggerContext& window) override {
    return either([&](Trigger& trigger) { return trigger.on_row(row, window); });
  }
  TriggerResult on_event_time(EventTime time, TriggerContext& window) override {
    return either([&](Trigger& trigger) { return trigger.on_event_time(time, window); });
  }
  TriggerResult on_processing_time(EventTime time, TriggerContext& window) override {
    return either([&](Trigger& trigger) { return trigger.on_processing_time(time, window); });
  }
  bool can_merge() const override { return first_->can_merge() && second_->can_merge(); }
  void merge(const Trigger& other) override {
    const auto& same = static_cast<const Both&>(other);
    first_->merge(*same.first_);
    second_->merge(*same.second_);
    finished_ = finished_ && same.finished_;
  }
  void on_merged(TriggerContext& window) override {
    first_->on_merged(window);
    second_->on_merged(window);
  }
  bool finished() const override {
    return finished_ || (first_->finished() && (kFinal || second_->finished()));
  }

 private:
  template <typename Call>
  TriggerResult either(const Call& call) {
    if (finished_) return TriggerResult::kContinue;
    const TriggerResult first = call(*first_);
    const TriggerResult second = call(*second_);
    if (kFinal && fires(second)) finished_ = true;
    return first | second;
  }

  std::unique_ptr<Trigger> first_;
  std::unique_ptr<Trigger> second_;
  bool finished_ = false;
};

// Passes everything on to one trigger, and changes what comes back.
class Around : public Trigger {
 public:
  explicit Around(std::unique_ptr<Trigger> trigger) : trigger_(std::move(trigger)) {}

  bool stateless() const override { return trigger_->stateless(); }
  TriggerResult on_row(const TriggerRow& row, TriggerContext& window) override {
    return changed(trigger_->on_row(row, window));
  }
  TriggerResult on_event_time(EventTime time, TriggerContext& window) override {
    return changed(trigger_->on_event_time(time, window));
  }
  TriggerResult on_processing_time(EventTime time, TriggerContext& window) override {
    return changed(trigger_->on_processing_time(time, window));
  }
  bool can_merge() const override { return trigger_->can_merge(); }
  void merge(const Trigger& other) override {
    trigger_->merge(*static_cast<const Around&>(other).trigger_);
  }
  void on_merged(TriggerContext& window) override { trigger_->on_merged(window); }

 protected:
  std::unique_ptr<Trigger> trigger_;

 private:
  virtual TriggerResult changed(TriggerResult result) = 0;
};

class Repeatedly final : public Around {
 public:
  using Around::Around;
  std::unique_ptr<Trigger> fresh() const override {
    return std::make_unique<Repeatedly>(trigger_->fresh());
  }

 private:
  TriggerResult changed(TriggerResult result) override {
    if (trigger_->finished()) trigger_ = trigger_->fresh();
    return result;
  }
};

class Purging final : public Around {
 public:
  using Around::Around;
  std::unique_ptr<Trigger> fresh() const override {
    return std::make_unique<Purging>(trigger_->fresh());
  }
  bool finished() const override { return trigger_->finished(); }

 private:
  TriggerResult changed(TriggerResult result) override {
    return fires(result) ? TriggerResult::kFireAndPurge : result;
  }
};

class Never final : public Trigger {
 public:
  std::unique_ptr<Trigger> fresh() const override { return std::make_unique<Never>(); }
  bool stateless() const override { return true; }
  TriggerResult on_row(const TriggerRow&, TriggerContext&) override {
    return TriggerResult::kContinue;
  }
  bool can_merge() const override { return true; }
};

}  // namespace

TriggerPtr after_watermark(TriggerPtr early, TriggerPtr late) {
  return std::make_shared<AfterWatermark>(fresh_or_null(early.get()), fresh_or_null(late.get()));
}
TriggerPtr after_count(std::int64_t rows) {
  return std::make_shared<AfterCount>(positive(rows, "the rows of after_count"));
}
TriggerPtr after_delay(std::chrono::milliseconds delay) {
  return std::make_shared<AfterDelay>(positive(delay.count(), "the delay of after_delay"));
}
TriggerPtr every_event_time(std::chrono::milliseconds interval, PassedMultiples passed) {
  return std::make_shared<EveryEventTime>(
      positive(interval.count(), "the interval of every_event_time"), passed);
}
TriggerPtr every_processing_time(std::chrono::milliseconds interval) {
  return std::make_shared<EveryProcessingTime>(
      positive(interval.count(), "the interval of every_processing_time"));
}
TriggerPtr delta(std::size_t input, double threshold) {
  if (!(threshold >= 0)) {
    throw std::invalid_argument("the threshold of delta must not be negative, got " +
                                std::to_string(threshold));
  }
  return std::make_shared<Delta>(input, threshold);
}
TriggerPtr any_of(TriggerPtr a, TriggerPtr b) {
  return std::make_shared<Both<false>>(required(std::move(a), "any_of")->fresh(),
                                       required(std::move(b), "any_of")->fresh());
}
TriggerPtr or_finally(TriggerPtr main, TriggerPtr until) {
  return std::make_shared<Both<true>>(required(std::move(main), "or_finally")->fresh(),
                                      required(std::move(until), "or_finally")->fresh());
}
TriggerPtr repeatedly(TriggerPtr trigger) {
  return std::make_shared<Repeatedly>(required(std::move(trigger), "repeatedly")->fresh());
}
TriggerPtr purging(TriggerPtr trigger) {
  return std::make_shared<Purging>(required(std::move(trigger), "purging")->fresh());
}
TriggerPtr never() { return std::make_shared<Never>(); }

}  // namespace tidemark
