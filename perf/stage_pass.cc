#include "tidemark/perf/stage_pass.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "tidemark/operators/key_hash.h"
#include "tidemark/operators/watermark_strategy.h"
#include "tidemark/operators/window_edges.h"
#include "tidemark/operators/window_operator.h"
#include "tidemark/perf/checksum_sink.h"
#include "tidemark/runtime/parker.h"

namespace tidemark {

namespace {

constexpr std::size_t kResultRows = 256;

// Each result into a checksum, at once. What that takes is no phase of the stage.
class SummedResults final : public ResultOutput {
 public:
  SummedResults(const WindowQuery& query, PhaseClock* phases)
      : batch_(query.result_schema(), kResultRows), phases_(phases) {}

  Batch* acquire() override { return &batch_; }
  void deliver(Batch* results) override {
    if (phases_ != nullptr) phases_->stamp(WorkPhase::kFire);
    sink_.accept(*results);
    results->clear();
    if (phases_ != nullptr) phases_->stamp(WorkPhase::kOther);
  }
  bool reads_in_place() const override { return true; }
  std::uint64_t checksum() const { return sink_.checksum(); }

 private:
  Batch batch_;
  PhaseClock* phases_;
  ChecksumSink sink_;
};

std::vector<KeyEntries> entries_by_key(const WindowOperator& stage) {
  std::vector<KeyEntries> keys;
  const std::vector<std::uint64_t> counts = stage.entries_by_slot();
  for (std::size_t slot = 0; slot < counts.size(); ++slot) {
    if (counts[slot] == 0) continue;
    keys.push_back({stage.key_text(static_cast<std::uint32_t>(slot)), counts[slot]});
  }
  std::sort(keys.begin(), keys.end(), [](const KeyEntries& a, const KeyEntries& b) {
    return a.entries != b.entries ? a.entries > b.entries : a.key < b.key;
  });
  return keys;
}

class Pass {
 public:
  Pass(const WindowQuery& query, const std::vector<WindowPlan>& plans, const BenchStream& stream,
       const StagePassOptions& options)
      : stream_(stream),
        options_(options),
        slicing_(query.windows.front()),
        output_(query, options.in_phases ? &phases_ : nullptr),
        stage_(query, plans, output_),
        watermarks_(query),
        edges_(query.windows),
        source_(query.row_schema()),
        batch_(query.row_schema()) {
    firings_per_window_ = static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, query.windows.front().size / slicing_.slide()));
    const EventTime span = stream.time(stream.rows() - 1) - stream.time(0);
    const auto firings = static_cast<std::size_t>(span / slicing_.slide()) + 1;
    sample_every_ = (firings + options.samples - 1) / std::max<std::size_t>(options.samples, 1);
  }

  StagePass run() {
    EventTime cut = edges_.next_after(kNoWatermark);
    for (std::uint64_t row = 0; row < stream_.rows(); row += source_.size()) {
      if (options_.cancellation != nullptr && options_.cancellation->requested()) {
        result_.cancelled = true;
        return std::move(result_);
      }
      make_rows(row);
      for (std::size_t begin = 0; begin < source_.size();) {
        const std::size_t end = watermarks_.follow(source_, begin, cut);
        take(begin, end);
        begin = end;
        if (watermarks_.watermark() < cut) continue;
        add_rows();
        fire_at(watermarks_.watermark());
        cut = edges_.next_after(watermarks_.watermark());
      }
    }
    add_rows();
    finish();
    return std::move(result_);
  }

 private:
  using Time = Clock::time_point;

  void make_rows(std::uint64_t first) {
    const auto n = static_cast<std::size_t>(
        std::min<std::uint64_t>(source_.capacity(), stream_.rows() - first));
    source_.clear();
    stream_.fill(first, 1, n, source_.times(), source_.column(0).int64s(),
                 source_.column(1).int64s());
    source_.set_size(n);
    hash_keys(source_, 1, 0, n);
  }

  // Puts rows of the source's batch into the stage's, which goes on when it is full.
  void take(std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::size_t at = batch_.size();
      const std::size_t n = std::min(end - begin, batch_.capacity() - at);
      std::copy_n(source_.times() + begin, n, batch_.times() + at);
      std::copy_n(source_.hashes() + begin, n, batch_.hashes() + at);
      for (std::size_t i = 0; i < batch_.column_count(); ++i) {
        std::copy_n(source_.column(i).int64s() + begin, n, batch_.column(i).int64s() + at);
      }
      batch_.set_size(at + n);
      begin += n;
      if (batch_.size() == batch_.capacity()) add_rows();
    }
  }

  void add_rows() {
    if (batch_.empty()) return;
    late_.clear();
    const Time begin = Clock::now();
    if (options_.in_phases) {
      phases_.start();
      stage_.add_in_phases(batch_, late_, phases_);
      phases_.stamp(WorkPhase::kOther);
    } else {
      stage_.add(batch_, late_);
    }
    spent_ += Clock::now() - begin;
    batch_.clear();
  }

  void fire_at(EventTime watermark) {
    look_at_state(watermark);
    const Clock::duration took = fire(watermark);
    const PassPoint point = here();
    if (point.windows_fired > fired_) firings_.push_back(nanoseconds(took));
    fired_ = point.windows_fired;
    if (measuring_) {
      const std::uint64_t windows = fired_ - result_.begin.windows_fired;
      // What strategies do now and then, they do once a window: half of one would tell a part of
      // it.
      if (windows % firings_per_window_ != 0 && windows > firings_per_window_) return;
      note_end(point);
      result_.window_filled = true;
    } else if (is_full(watermark)) {
      measuring_ = true;
      first_measured_ = firings_.size();
      ticks_at_begin_ = phases_.ticks();
      stamps_at_begin_ = phases_.stamps();
      result_.begin = point;
    }
  }

  // The output always has room, so that a firing is never interrupted.
  Clock::duration fire(EventTime watermark) {
    const Time begin = Clock::now();
    if (options_.in_phases) {
      phases_.start();
      stage_.advance_in_phases(watermark, phases_);
      stage_.fire_in_phases(phases_);
      stage_.emitter().flush();
      phases_.stamp(WorkPhase::kOther);
    } else {
      stage_.advance(watermark);
      stage_.fire();
      stage_.emitter().flush();
    }
    const Clock::duration took = Clock::now() - begin;
    spent_ += took;
    return took;
  }

  void note_end(const PassPoint& point) {
    end_measured_ = firings_.size();
    result_.end = point;
    for (std::size_t i = 0; i < kWorkPhases; ++i) {
      result_.ticks[i] = phases_.ticks()[i] - ticks_at_begin_[i];
    }
    result_.stamps = phases_.stamps() - stamps_at_begin_;
  }

  void finish() {
    RunReport report;
    stage_.report(report);
    result_.state = report.state;
    result_.state.peak_live_entries =
        std::max(result_.state.peak_live_entries, result_.state.live_entries);
    if (options_.looks_at_state) result_.keys = entries_by_key(stage_);
    if (!result_.window_filled) {
      // Where a window was full only at the last firing, nothing behind it is left to measure.
      result_.begin = {};
      first_measured_ = 0;
      end_measured_ = firings_.size();
      ticks_at_begin_ = {};
      stamps_at_begin_ = 0;
    }
    result_.firings.assign(firings_.begin() + static_cast<std::ptrdiff_t>(first_measured_),
                           firings_.begin() + static_cast<std::ptrdiff_t>(end_measured_));
    fire(kEndOfTime);
    if (!result_.window_filled) note_end(here());
    stage_.report(result_.report);
    result_.report.rows_read = stream_.rows();
    result_.report.wall_seconds = std::chrono::duration<double>(spent_).count();
    result_.checksum = output_.checksum();
  }

  void look_at_state(EventTime watermark) {
    if (!options_.looks_at_state) return;
    if (cuts_++ % sample_every_ != 0) return;
    result_.samples.push_back({watermark, stage_.live_entries(), stage_.window_bytes()});
  }

  // Whether the window that has just fired began with the stream, or later.
  bool is_full(EventTime watermark) const {
    return slicing_.window_start(slicing_.first_open_window(watermark) - 1) >= stream_.time(0);
  }

  PassPoint here() const {
    RunReport counts;
    stage_.count(counts);
    return {counts.rows_on_time + counts.rows_late + counts.rows_in_no_window,
            counts.rows_on_time,
            counts.state.updates,
            counts.state.merges,
            counts.state.windows_fired,
            nanoseconds(spent_)};
  }

  static std::int64_t nanoseconds(Clock::duration duration) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
  }

  const BenchStream& stream_;
  const StagePassOptions& options_;
  Slicing slicing_;
  PhaseClock phases_;
  SummedResults output_;
  WindowOperator stage_;
  PartitionWatermarks watermarks_;
  WindowEdges edges_;
  Batch source_;
  Batch batch_;
  std::vector<std::uint16_t> late_;
  Clock::duration spent_{};
  bool measuring_ = false;
  std::uint64_t fired_ = 0;
  std::vector<std::int64_t> firings_;  // all of them
  std::size_t first_measured_ = 0;
  std::size_t end_measured_ = 0;
  std::uint64_t firings_per_window_ = 1;
  PhaseClock::Ticks ticks_at_begin_{};
  std::uint64_t stamps_at_begin_ = 0;
  std::size_t sample_every_ = 1;
  std::size_t cuts_ = 0;
  StagePass result_;
};

}  // namespace

StagePass run_stage_pass(const WindowQuery& query, const std::vector<WindowPlan>& plans,
                         const BenchStream& stream, const StagePassOptions& options) {
  return Pass(query, plans, stream, options).run();
}

}  // namespace tidemark
