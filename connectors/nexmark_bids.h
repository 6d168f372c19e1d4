// The bids of the Nexmark benchmark.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tidemark/connectors/generated_records.h"
#include "tidemark/connectors/generator_parameters.h"
#include "tidemark/connectors/nexmark_stream.h"

namespace tidemark {

// auction, bidder, price, channel, url, date_time, extra. Follows the generator of Apache Beam's
// Nexmark suite (sdks/java/testing/nexmark, sources/generator): of 50 events one is a person, three
// are auctions and 46 are bids, and only the bids are written, with the ids and times that they
// have among all events. Half of the bids go to the newest hundredth auction, three of four come
// from the newest hundredth person; prices are log-uniform from 100 to 100,000,000. Numbers are
// drawn from the event's own id, so they differ from Beam's, which come from Java's generator.
// `rate` counts all events; `keys` and `skew` have no meaning here.
class NexmarkBids : public GeneratedRecords {
 public:
  explicit NexmarkBids(const GeneratorParameters& parameters);

  std::span<const std::string_view> names() const override;
  void append(std::uint64_t row, RecordText& out) const override;
  std::int64_t due(std::uint64_t row) const override;

 private:
  std::uint64_t mixed_seed_;
  NexmarkStream stream_;
};

}  // namespace tidemark
