// What a stream is expected to be like, from what generates it or from words.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemark/connectors/key_sampler.h"
#include "tidemark/operators/stream_shape.h"
#include "tidemark/runtime/error.h"

namespace tidemark {

// `keys` is at least 1, `rate` in rows per second of event time, `disorder` as EventClock has it.
StreamShape expected_stream(std::uint64_t keys, std::uint64_t rate, const Skew& skew,
                            std::int64_t disorder = 0);

// From `keys=10k&rate=5000&skew=zipf:1.1`, spelled as for generated inputs; what is not said is as
// there.
Expected<StreamShape> parse_stream_shape(std::string_view text);

}  // namespace tidemark
