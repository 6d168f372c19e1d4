// The ad events of the Yahoo Streaming Benchmark.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tidemark/connectors/event_clock.h"
#include "tidemark/connectors/generated_records.h"
#include "tidemark/connectors/generator_parameters.h"

namespace tidemark {

// user_id, page_id, ad_id, ad_type, event_type, event_time, ip_address, and campaign_id: 100
// campaigns of 10 ads each, five ad types and the event types view, click and purchase, all uniform
// (data/src/setup/core.clj of the benchmark). The benchmark looks campaigns up in a database; here
// the campaign of the ad is the last field, so that events per campaign can be counted without a
// join. `keys` and `skew` have no meaning here.
class YsbEvents : public GeneratedRecords {
 public:
  explicit YsbEvents(const GeneratorParameters& parameters);

  std::span<const std::string_view> names() const override;
  void append(std::uint64_t row, RecordText& out) const override;
  std::int64_t due(std::uint64_t row) const override { return clock_.due(row); }

 private:
  std::uint64_t mixed_seed_;
  EventClock clock_;
};

}  // namespace tidemark
