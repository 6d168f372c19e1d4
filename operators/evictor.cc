#include "tidemark/operators/evictor.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace tidemark {

namespace {

// An evictor that does the same before or after.
class MomentEvictor : public Evictor {
 public:
  explicit MomentEvictor(EvictionMoment moment) : moment_(moment) {}

  void evict_before(WindowRows& rows) const override {
    if (moment_ == EvictionMoment::kBefore) evict(rows);
  }
  void evict_after(WindowRows& rows) const override {
    if (moment_ == EvictionMoment::kAfter) evict(rows);
  }

 private:
  virtual void evict(WindowRows& rows) const = 0;

  EvictionMoment moment_;
};

class CountEvictor final : public MomentEvictor {
 public:
  CountEvictor(std::size_t rows, EvictionMoment moment) : MomentEvictor(moment), rows_(rows) {}

 private:
  void evict(WindowRows& rows) const override {
    for (std::size_t row = 0; row + rows_ < rows.size(); ++row) rows.evict(row);
  }

  std::size_t rows_;
};

class TimeEvictor final : public MomentEvictor {
 public:
  TimeEvictor(std::int64_t span, EvictionMoment moment) : MomentEvictor(moment), span_(span) {}

 private:
  void evict(WindowRows& rows) const override {
    EventTime highest = rows.time(0);
    for (std::size_t row = 1; row < rows.size(); ++row) highest = std::max(highest, rows.time(row));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (rows.time(row) <= highest - span_) rows.evict(row);
    }
  }

  std::int64_t span_;
};

class DeltaEvictor final : public MomentEvictor {
 public:
  DeltaEvictor(std::size_t input, double threshold, EvictionMoment moment)
      : MomentEvictor(moment), input_(input), threshold_(threshold) {}

 private:
  void evict(WindowRows& rows) const override {
    const std::optional<double> last = rows.number(rows.size() - 1, input_);
    if (!last) return;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::optional<double> value = rows.number(row, input_);
      if (value && std::fabs(*value - *last) >= threshold_) rows.evict(row);
    }
  }

  std::size_t input_;
  double threshold_;
};

}  // namespace

EvictorPtr count_evictor(std::size_t rows, EvictionMoment moment) {
  return std::make_shared<CountEvictor>(rows, moment);
}

EvictorPtr time_evictor(std::chrono::milliseconds span, EvictionMoment moment) {
  if (span.count() <= 0 || span.count() > kMaxDurationMs) {
    throw std::invalid_argument("the span of a time evictor must be from 1 to " +
                                std::to_string(kMaxDurationMs) + " ms, got " +
                                std::to_string(span.count()));
  }
  return std::make_shared<TimeEvictor>(span.count(), moment);
}

EvictorPtr delta_evictor(std::size_t input, double threshold, EvictionMoment moment) {
  if (!(threshold > 0)) {
    throw std::invalid_argument("the threshold of a delta evictor must be positive, got " +
                                std::to_string(threshold));
  }
  return std::make_shared<DeltaEvictor>(input, threshold, moment);
}

}  // namespace tidemark
