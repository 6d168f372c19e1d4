// Visits to a shop as sessions: a visitor on a phone is gone after a minute, one at a desk after
// five. Each purchase reports the session so far; its end reports it if it has changed since.
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

#include "tidemark/operators/job.h"

using namespace tidemark;
using namespace std::chrono_literals;

struct Click {
  int64_t second;
  int visitor;
  bool on_phone;
  int paid;
};

// A trigger of one's own: fires at rows that have paid something, and at the end of the window.
class AtPurchase final : public Trigger {
 public:
  explicit AtPurchase(std::size_t paid) : paid_(paid) {}

  std::unique_ptr<Trigger> fresh() const override { return std::make_unique<AtPurchase>(paid_); }
  TriggerResult on_row(const TriggerRow& row, TriggerContext&) override {
    return row.number(paid_) > 0 ? TriggerResult::kFire : TriggerResult::kContinue;
  }
  TriggerResult on_event_time(EventTime, TriggerContext&) override { return TriggerResult::kFire; }
  bool can_merge() const override { return true; }

 private:
  std::size_t paid_;  // which input
};

int main() {
  const std::vector<Click> clicks = {
      {0, 7, true, 0},     {20, 8, false, 0}, {50, 7, true, 30},  {90, 7, true, 0},
      {260, 8, false, 12}, {300, 7, true, 0}, {310, 8, false, 5}, {900, 7, false, 0},
  };

  Job job;
  job.source(clicks)
      .event_time([](const Click& click) { return click.second * 1000; }, monotonous())
      .key_by(&Click::visitor)
      .window(session([](const Click& click) { return click.on_phone ? 1min : 5min; }))
      .trigger_on(&Click::paid,
                  [](std::size_t input) { return std::make_shared<AtPurchase>(input); })
      .aggregate(count(), sum(&Click::paid))
      .sink([](const auto& result) {
        const auto& [clicked, paid] = result.values;
        std::cout << "visitor " << result.key() << ", "
                  << result.window_start.time_since_epoch() / 1s << " s to "
                  << result.window_end.time_since_epoch() / 1s << " s, " << clicked
                  << " clicks, paid " << *paid << " (" << to_string(result.pane.timing) << ", "
                  << to_string(result.pane.change) << ")\n";
      });
  job.run();
}
