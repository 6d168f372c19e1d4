#include "tidemark/connectors/ysb_events.h"

#include <fmt/format.h>

#include <array>

#include "tidemark/connectors/row_hash.h"

namespace tidemark {

namespace {

constexpr std::uint64_t kUsers = 100;
constexpr std::uint64_t kPages = 100;
constexpr std::uint64_t kCampaigns = 100;
constexpr std::uint64_t kAdsPerCampaign = 10;
constexpr std::array<std::string_view, 5> kAdTypes{"banner", "modal", "sponsored-search", "mail",
                                                   "mobile"};
constexpr std::array<std::string_view, 3> kEventTypes{"view", "click", "purchase"};

enum class Id : std::uint64_t { kUser = 1, kPage, kAd, kCampaign };

// A UUID of version 4 that belongs to number `index` of a kind of thing.
void append_id(std::uint64_t mixed_seed, Id kind, std::uint64_t index, RecordText& out) {
  const std::uint64_t hash = row_hash(draw(mixed_seed, static_cast<std::uint64_t>(kind)), index);
  const std::uint64_t high = draw(hash, 1);
  const std::uint64_t low = draw(hash, 2);
  std::array<char, 36> text;
  fmt::format_to(text.begin(), "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32,
                 high >> 16 & 0xffff, high & 0xfff, (low >> 48 & 0x3fff) | 0x8000,
                 low & 0xffffffffffff);
  out.plain_text({text.data(), text.size()});
}

}  // namespace

YsbEvents::YsbEvents(const GeneratorParameters& parameters)
    : mixed_seed_(splitmix64(parameters.seed)),
      clock_(parameters.start, parameters.rate, parameters.disorder) {}

std::span<const std::string_view> YsbEvents::names() const {
  static constexpr std::array<std::string_view, 8> kNames{"user_id",    "page_id",    "ad_id",
                                                          "ad_type",    "event_type", "event_time",
                                                          "ip_address", "campaign_id"};
  return kNames;
}

void YsbEvents::append(std::uint64_t row, RecordText& out) const {
  const std::uint64_t hash = row_hash(mixed_seed_, row);
  const std::uint64_t ad = below(draw(hash, 1), kCampaigns * kAdsPerCampaign);
  append_id(mixed_seed_, Id::kUser, below(draw(hash, 2), kUsers), out);
  append_id(mixed_seed_, Id::kPage, below(draw(hash, 3), kPages), out);
  append_id(mixed_seed_, Id::kAd, ad, out);
  out.plain_text(kAdTypes[below(draw(hash, 4), kAdTypes.size())]);
  out.plain_text(kEventTypes[below(draw(hash, 5), kEventTypes.size())]);
  out.integer(clock_.time(row, draw(hash, 6)));
  out.plain_text("1.2.3.4");
  append_id(mixed_seed_, Id::kCampaign, ad / kAdsPerCampaign, out);
  out.end();
}

}  // namespace tidemark
