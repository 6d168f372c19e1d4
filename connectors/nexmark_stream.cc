#include "tidemark/connectors/nexmark_stream.h"

#include <algorithm>
#include <cmath>

namespace tidemark {

namespace {

constexpr std::uint64_t kEventsBeforeBids =
    NexmarkStream::kEventsPerEpoch - NexmarkStream::kBidsPerEpoch;
constexpr std::uint64_t kFirstId = 1000;
constexpr std::uint64_t kHotUnit = 100;
constexpr std::uint64_t kAuctionsInFlight = 100;
constexpr std::uint64_t kActivePeople = 1000;
constexpr std::uint64_t kLead = 10;

std::uint64_t auction_event(std::uint64_t n) {
  return n / NexmarkStream::kAuctionsPerEpoch * NexmarkStream::kEventsPerEpoch + 1 +
         n % NexmarkStream::kAuctionsPerEpoch;
}

std::uint64_t bid_event(std::uint64_t n) {
  return n / NexmarkStream::kBidsPerEpoch * NexmarkStream::kEventsPerEpoch + kEventsBeforeBids +
         n % NexmarkStream::kBidsPerEpoch;
}

std::uint64_t draw_auction(std::uint64_t epoch, NexmarkDraws& draws) {
  const std::uint64_t last =
      epoch * NexmarkStream::kAuctionsPerEpoch + NexmarkStream::kAuctionsPerEpoch - 1;
  if (draws.below(2) > 0) return last / kHotUnit * kHotUnit + kFirstId;
  const std::uint64_t lowest = last > kAuctionsInFlight ? last - kAuctionsInFlight : 0;
  return lowest + draws.below(last - lowest + 1 + kLead) + kFirstId;
}

// A hot person is the first of its hundred for sellers, and the second for bidders.
std::uint64_t draw_person(std::uint64_t epoch, std::uint64_t hot_offset, NexmarkDraws& draws) {
  if (draws.below(4) > 0) return epoch / kHotUnit * kHotUnit + hot_offset + kFirstId;
  const std::uint64_t people = epoch + 1;
  const std::uint64_t active = std::min(people, kActivePeople);
  return people - active + draws.below(active + kLead) + kFirstId;
}

}  // namespace

NexmarkStream::NexmarkStream(const GeneratorParameters& parameters)
    : mixed_seed_(splitmix64(parameters.seed)),
      clock_(parameters.start, parameters.rate, parameters.disorder) {}

NexmarkPerson NexmarkStream::person(std::uint64_t n) const {
  const std::uint64_t event = n * kEventsPerEpoch;
  NexmarkDraws draws(row_hash(mixed_seed_, event));
  return {clock_.time(event, draws.next()), static_cast<std::int64_t>(n + kFirstId)};
}

NexmarkAuction NexmarkStream::auction(std::uint64_t n) const {
  const std::uint64_t event = auction_event(n);
  NexmarkDraws draws(row_hash(mixed_seed_, event));
  const EventTime time = clock_.time(event, draws.next());
  return {time, static_cast<std::int64_t>(n + kFirstId),
          static_cast<std::int64_t>(draw_person(event / kEventsPerEpoch, 0, draws))};
}

NexmarkBid NexmarkStream::bid(std::uint64_t n) const {
  const std::uint64_t event = bid_event(n);
  const std::uint64_t epoch = event / kEventsPerEpoch;
  NexmarkDraws draws(row_hash(mixed_seed_, event));
  NexmarkBid bid{};
  bid.time = clock_.time(event, draws.next());
  bid.auction = static_cast<std::int64_t>(draw_auction(epoch, draws));
  bid.bidder = static_cast<std::int64_t>(draw_person(epoch, 1, draws));
  bid.price = std::llround(std::pow(10.0, unit_interval(draws.next()) * 6) * 100);
  bid.draws = draws.state();
  return bid;
}

std::int64_t NexmarkStream::bid_due(std::uint64_t n) const { return clock_.due(bid_event(n)); }

}  // namespace tidemark
