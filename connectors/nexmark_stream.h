// The events of the Nexmark benchmark as numbers: people, their auctions, and bids.
#pragma once

#include <cstdint>

#include "tidemark/connectors/event_clock.h"
#include "tidemark/connectors/generator_parameters.h"
#include "tidemark/connectors/row_hash.h"
#include "tidemark/runtime/time.h"

namespace tidemark {

struct NexmarkPerson {
  EventTime time;
  std::int64_t id;
};

struct NexmarkAuction {
  EventTime time;
  std::int64_t id;
  std::int64_t seller;
};

struct NexmarkBid {
  EventTime time;
  std::int64_t auction;
  std::int64_t bidder;
  std::int64_t price;   // in cents
  std::uint64_t draws;  // where further random draws of this bid go on
};

// By the rules of Apache Beam's generator: of every 50 events one is a person, three are auctions
// and 46 bids; half of the bids go to a hot auction, three quarters of bids and auctions come from
// a hot person. Any event at any time: each has its own seed. Immutable.
class NexmarkStream {
 public:
  static constexpr std::uint64_t kEventsPerEpoch = 50;
  static constexpr std::uint64_t kAuctionsPerEpoch = 3;
  static constexpr std::uint64_t kBidsPerEpoch = 46;

  // Of the parameters rate (events a second), start, disorder and seed count.
  explicit NexmarkStream(const GeneratorParameters& parameters);

  // Number n of its kind, from 0.
  NexmarkPerson person(std::uint64_t n) const;
  NexmarkAuction auction(std::uint64_t n) const;
  NexmarkBid bid(std::uint64_t n) const;

  // ms from the start until bid n is due.
  std::int64_t bid_due(std::uint64_t n) const;

 private:
  std::uint64_t mixed_seed_;
  EventClock clock_;
};

// An event's random numbers, one after the other.
class NexmarkDraws {
 public:
  explicit NexmarkDraws(std::uint64_t state) : state_(state) {}
  std::uint64_t next() { return state_ = splitmix64(state_); }
  std::uint64_t below(std::uint64_t bound) { return tidemark::below(next(), bound); }
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace tidemark
