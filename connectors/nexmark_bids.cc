#include "tidemark/connectors/nexmark_bids.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "tidemark/connectors/row_hash.h"
#include "tidemark/connectors/time_formatter.h"

namespace tidemark {

namespace {

constexpr std::uint64_t kColdChannels = 10'000;
constexpr std::uint64_t kAverageExtra = 68;  // bids of 100 bytes, 32 of them in the other fields
constexpr std::uint64_t kExtraSpread = 14;   // 20 %
constexpr std::array<std::string_view, 4> kHotChannels{"Google", "Facebook", "Baidu", "Apple"};

void append_letters(std::uint64_t count, NexmarkDraws& draws, fmt::memory_buffer& out) {
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
  NexmarkDraws path(path_hash);
  out.append(std::string_view("https://www.nexmark.com/"));
  for (int i = 0; i < 3; ++i) {
    append_letters(3 + path.below(3), path, out);
    out.push_back('/');
  }
  out.append(std::string_view("item.htm?query=1"));
}

std::string_view view(const fmt::memory_buffer& text) { return {text.data(), text.size()}; }

void append_channel(std::uint64_t mixed_seed, NexmarkDraws& draws, RecordText& out) {
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
    : mixed_seed_(splitmix64(parameters.seed)), stream_(parameters) {}

std::span<const std::string_view> NexmarkBids::names() const {
  static constexpr std::array<std::string_view, 7> kNames{
      "auction", "bidder", "price", "channel", "url", "date_time", "extra"};
  return kNames;
}

std::int64_t NexmarkBids::due(std::uint64_t row) const { return stream_.bid_due(row); }

void NexmarkBids::append(std::uint64_t row, RecordText& out) const {
  const NexmarkBid bid = stream_.bid(row);
  NexmarkDraws draws(bid.draws);
  out.integer(bid.auction);
  out.integer(bid.bidder);
  out.integer(bid.price);
  append_channel(mixed_seed_, draws, out);
  append_time(bid.time, out);
  fmt::memory_buffer extra;
  append_letters(kAverageExtra - kExtraSpread + draws.below(2 * kExtraSpread), draws, extra);
  out.plain_text(view(extra));
  out.end();
}

}  // namespace tidemark
