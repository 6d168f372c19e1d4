#include "tidemark/connectors/nexmark_bids.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "tidemark/connectors/row_hash.h"
#include "tidemark/connectors/time_formatter.h"

namespace tidemark {

namespace {

constexpr std::uint64_t kEventsPerEpoch = 50;
constexpr std::uint64_t kBidsPerEpoch = 46;
constexpr std::uint64_t kAuctionsPerEpoch = 3;
constexpr std::uint64_t kEventsBeforeBids = kEventsPerEpoch - kBidsPerEpoch;
constexpr std::uint64_t kFirstId = 1000;
constexpr std::uint64_t kHotUnit = 100;
constexpr std::uint64_t kAuctionsInFlight = 100;
constexpr std::uint64_t kActivePeople = 1000;
constexpr std::uint64_t kLead = 10;
constexpr std::uint64_t kColdChannels = 10'000;
constexpr std::uint64_t kAverageExtra = 68;  // bids of 100 bytes, 32 of them in the other fields
constexpr std::uint64_t kExtraSpread = 14;   // 20 %
constexpr std::array<std::string_view, 4> kHotChannels{"Google", "Facebook", "Baidu", "Apple"};

// The event that bid number `row` is.
std::uint64_t event_of(std::uint64_t row) {
  return row / kBidsPerEpoch * kEventsPerEpoch + kEventsBeforeBids + row % kBidsPerEpoch;
}

// A row's random numbers, one after the other.
class Draws {
 public:
  explicit Draws(std::uint64_t hash) : state_(hash) {}
  std::uint64_t next() { return state_ = splitmix64(state_); }
  std::uint64_t below(std::uint64_t bound) { return tidemark::below(next(), bound); }

 private:
  std::uint64_t state_;
};

std::uint64_t draw_auction(std::uint64_t epoch, Draws& draws) {
  const std::uint64_t last = epoch * kAuctionsPerEpoch + kAuctionsPerEpoch - 1;
  if (draws.below(2) > 0) return last / kHotUnit * kHotUnit + kFirstId;
  const std::uint64_t lowest = last > kAuctionsInFlight ? last - kAuctionsInFlight : 0;
  return lowest + draws.below(last - lowest + 1 + kLead) + kFirstId;
}

std::uint64_t draw_bidder(std::uint64_t epoch, Draws& draws) {
  if (draws.below(4) > 0) return epoch / kHotUnit * kHotUnit + 1 + kFirstId;
  const std::uint64_t people = epoch + 1;
  const std::uint64_t active = std::min(people, kActivePeople);
  return people - active + draws.below(active + kLead) + kFirstId;
}

void append_letters(std::uint64_t count, Draws& draws, fmt::memory_buffer& out) {
  while (count > 0) {
    // 13 letters of a base 26 number fit in 64 bits.
    std::uint64_t bits = draws.next();
    for (int i = 0; i < 13 && count > 0; ++i, --count) {
      out.push_back(static_cast<char>('a' + bits % 26));
      bits /= 26;
    }
  }
}

std::uint32_t reversed_bits(std::uint32_t value) {
  std::uint32_t reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (value >> i & 1) << (31 - i);
  return reversed;
}

void append_url(std::uint64_t path_hash, fmt::memory_buffer& out) {
  Draws path(path_hash);
  out.append(std::string_view("https://www.nexmark.com/"));
  for (int i = 0; i < 3; ++i) {
    append_letters(3 + path.below(3), path, out);
    out.push_back('/');
  }
  out.append(std::string_view("item.htm?query=1"));
}

std::string_view view(const fmt::memory_buffer& text) { return {text.data(), text.size()}; }

void append_channel(std::uint64_t mixed_seed, Draws& draws, RecordText& out) {
  fmt::memory_buffer url;
  if (draws.below(2) > 0) {
    const std::uint64_t channel = draws.below(kHotChannels.size());
    append_url(row_hash(mixed_seed, UINT64_MAX - channel), url);
    out.plain_text(kHotChannels[channel]);
    out.plain_text(view(url));
    return;
  }
  const std::uint64_t channel = draws.below(kColdChannels);
  const std::uint64_t url_hash = row_hash(mixed_seed, UINT64_MAX - kHotChannels.size() - channel);
  append_url(url_hash, url);
  if (below(draw(url_hash, 1), 10) > 0) {
    fmt::format_to(std::back_inserter(url), "&channel_id={}",
                   reversed_bits(static_cast<std::uint32_t>(channel)) & 0x7fffffff);
  }
  fmt::memory_buffer name;
  fmt::format_to(std::back_inserter(name), "channel-{}", channel);
  out.plain_text(view(name));
  out.plain_text(view(url));
}

void append_time(EventTime time, RecordText& out) {
  TimeFormatter formatter(TimeStyle::kIso);
  fmt::memory_buffer text;
  formatter.append(time, text);
  out.plain_text(view(text));
}

}  // namespace

NexmarkBids::NexmarkBids(const GeneratorParameters& parameters)
    : mixed_seed_(splitmix64(parameters.seed)),
      clock_(parameters.start, parameters.rate, parameters.disorder) {}

std::span<const std::string_view> NexmarkBids::names() const {
  static constexpr std::array<std::string_view, 7> kNames{
      "auction", "bidder", "price", "channel", "url", "date_time", "extra"};
  return kNames;
}

std::int64_t NexmarkBids::due(std::uint64_t row) const { return clock_.due(event_of(row)); }

void NexmarkBids::append(std::uint64_t row, RecordText& out) const {
  const std::uint64_t event = event_of(row);
  const std::uint64_t epoch = event / kEventsPerEpoch;
  Draws draws(row_hash(mixed_seed_, event));
  const EventTime time = clock_.time(event, draws.next());
  out.integer(static_cast<std::int64_t>(draw_auction(epoch, draws)));
  out.integer(static_cast<std::int64_t>(draw_bidder(epoch, draws)));
  out.integer(std::llround(std::pow(10.0, unit_interval(draws.next()) * 6) * 100));
  append_channel(mixed_seed_, draws, out);
  append_time(time, out);
  fmt::memory_buffer extra;
  append_letters(kAverageExtra - kExtraSpread + draws.below(2 * kExtraSpread), draws, extra);
  out.plain_text(view(extra));
  out.end();
}

}  // namespace tidemark
