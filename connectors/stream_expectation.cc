#include "tidemark/connectors/stream_expectation.h"

#include <fmt/format.h>

#include "tidemark/connectors/generator_parameters.h"

namespace tidemark {

namespace {

KeySpread spread_of(SkewKind kind) {
  switch (kind) {
    case SkewKind::kZipf:
      return KeySpread::kZipf;
    case SkewKind::kHot:
      return KeySpread::kHot;
    case SkewKind::kUniform:
      break;
  }
  return KeySpread::kUniform;
}

}  // namespace

StreamShape expected_stream(std::uint64_t keys, std::uint64_t rate, const Skew& skew,
                            std::int64_t disorder) {
  return {keys, static_cast<double>(rate), spread_of(skew.kind), skew.parameter, disorder, {}};
}

Expected<StreamShape> parse_stream_shape(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('&');
    const std::string_view name = rest.substr(0, rest.find_first_of("=&"));
    if (name != "keys" && name != "rate" && name != "skew") {
      return make_error(fmt::format(
          "a stream is told by keys, rate and skew, as keys=10k&rate=5000, not by {:?}", name));
    }
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  GeneratorParameters parameters;
  if (auto set = parameters.set_all(text); !set) return tl::unexpected(set.error());
  if (auto valid = validate(parameters.orders()); !valid) return tl::unexpected(valid.error());
  return expected_stream(parameters.keys, parameters.rate, parameters.skew);
}

}  // namespace tidemark
