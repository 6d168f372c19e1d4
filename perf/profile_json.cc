#include "tidemark/perf/profile_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "tidemark/perf/machine_json.h"

namespace tidemark {

namespace {

using Json = nlohmann::ordered_json;

template <typename T>
Json measured_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string profile_checksum_text(std::uint64_t checksum) {
  return fmt::format("{:#018x}", checksum);
}

Json profile_options_json(const ProfileOptions& options) {
  Json strategies = Json::array();
  for (const Strategy strategy : options.strategies) strategies.push_back(to_string(strategy));
  Json aggregates = Json::array();
  for (const AggregateSpec& aggregate : options.aggregates) aggregates.push_back(aggregate.name);
  return {{"size_ms", options.size},
          {"slides_ms", options.slides},
          {"keys", options.keys},
          {"strategies", strategies},
          {"aggregates", aggregates},
          {"skew", to_string(options.stream.skew)},
          {"event_rate", options.stream.event_rate},
          {"disorder_ms", options.stream.disorder},
          {"delay_ms", options.stream.disorder},
          {"seed", options.stream.seed},
          {"rows", options.stream.rows},
          {"repeats", options.repeats},
          {"memory_limit", options.memory_limit},
          {"top_keys", options.top_keys},
          {"cores", options.cores == 0 ? Json(nullptr) : Json(options.cores)}};
}

Json prediction_json(const ProfilePrediction& predicted) {
  return {{"updates_per_row", predicted.updates_per_row},
          {"merges_per_slide", measured_or_null(predicted.merges_per_slide)},
          {"live_entries", measured_or_null(predicted.live_entries)},
          {"state_bytes", measured_or_null(predicted.state_bytes)},
          {"allocated_bytes", measured_or_null(predicted.allocated_bytes)}};
}

Json error_json(const ProfilePrediction& predicted, const CellFigures& figures) {
  const auto error = [](double measured, std::optional<double> expected) {
    return expected ? measured_or_null(prediction_error(measured, *expected)) : Json(nullptr);
  };
  return {
      {"updates_per_row", error(figures.updates_per_row, predicted.updates_per_row)},
      {"merges_per_slide", error(figures.merges_per_slide, predicted.merges_per_slide)},
      {"live_entries", error(static_cast<double>(figures.live_entries), predicted.live_entries)},
      {"state_bytes", error(static_cast<double>(figures.state_bytes), predicted.state_bytes)},
      {"allocated_bytes",
       error(static_cast<double>(figures.allocated_bytes), predicted.allocated_bytes)}};
}

Json time_share_json(const CellFigures& figures) {
  const auto share = [&](WorkPhase phase) {
    return figures.time_share[static_cast<std::size_t>(phase)];
  };
  return {{"probe", share(WorkPhase::kProbe)},
          {"update", share(WorkPhase::kUpdate)},
          {"fire", share(WorkPhase::kFire)},
          {"evict", share(WorkPhase::kEvict)},
          {"other", share(WorkPhase::kOther)}};
}

Json samples_json(const CellFigures& figures) {
  Json samples = Json::array();
  for (const StateSample& sample : figures.samples) {
    samples.push_back({sample.watermark, sample.live_entries * figures.entry_bytes,
                       sample.live_entries, sample.allocated_bytes});
  }
  return samples;
}

Json top_keys_json(const CellFigures& figures) {
  Json keys = Json::array();
  for (const KeyEntries& key : figures.top_keys) {
    keys.push_back({{"key", key.key},
                    {"entries", key.entries},
                    {"state_bytes", key.entries * figures.entry_bytes}});
  }
  return keys;
}

void add_figures(const CellFigures& figures, Json& cell) {
  cell["ran"] = to_string(figures.ran);
  cell["window_filled"] = figures.window_filled;
  cell["measured"] = {{"rows", figures.rows},
                      {"rows_on_time", figures.rows_on_time},
                      {"slides", figures.slides},
                      {"updates", figures.updates},
                      {"merges", figures.merges}};
  cell["rows_per_second"] = figures.rows_per_second;
  cell["rows_per_second_samples"] = figures.rows_per_second_of_passes;
  cell["updates_per_row"] = figures.updates_per_row;
  cell["merges_per_slide"] = figures.merges_per_slide;
  cell["work_per_row"] = figures.work_per_row;
  cell["live_entries"] = figures.live_entries;
  cell["entry_bytes"] = figures.entry_bytes;
  cell["state_bytes"] = figures.state_bytes;
  cell["allocated_bytes"] = figures.allocated_bytes;
  cell["key_table_bytes"] = figures.key_table_bytes;
  cell["keys_held"] = figures.keys_held;
  cell["bytes_per_key"] = figures.bytes_per_key;
  cell["firing_ns"] = {{"median", measured_or_null(figures.firings.percentile(50))},
                       {"p99", measured_or_null(figures.firings.percentile(99))},
                       {"worst", measured_or_null(figures.firings.max())},
                       {"count", figures.firings.count()}};
  cell["time_share"] = time_share_json(figures);
  cell["stamp_share"] = figures.stamp_share;
  cell["state_over_event_time"] = samples_json(figures);
  cell["entries_at_end"] = figures.entries_at_end;
  cell["entries_per_key"] = {{"median", figures.key_entries_median},
                             {"p99", figures.key_entries_p99},
                             {"max", figures.key_entries_max}};
  cell["top_keys"] = top_keys_json(figures);
  cell["results"] = figures.results;
  cell["checksum"] = profile_checksum_text(figures.checksum);
}

// Every cell has the same members: of one that was not run, null.
Json cell_json(const ProfileOptions& options, const ProfileCell& cell) {
  static const CellFigures kNone;
  Json json = {{"size_ms", options.size},
               {"slide_ms", cell.slide},
               {"keys", cell.keys},
               {"strategy", to_string(cell.strategy)},
               {"refused", measured_or_null(cell.refused)},
               {"rows", options.stream.rows},
               {"rows_per_slide", cell.rows_per_slide},
               {"rows_per_key_and_slide", cell.rows_per_key_and_slide()}};
  const std::size_t members = json.size();
  add_figures(cell.figures.value_or(kNone), json);
  if (!cell.figures) {
    auto member = json.begin();
    for (std::advance(member, members); member != json.end(); ++member) *member = nullptr;
  }
  json["job"] = cell.job ? Json{{"rows_per_second", cell.job->rows_per_second},
                                {"results", cell.job->results},
                                {"checksum", profile_checksum_text(cell.job->checksum)}}
                         : Json(nullptr);
  json["predicted"] = cell.predicted ? prediction_json(*cell.predicted) : Json(nullptr);
  json["error"] =
      cell.predicted && cell.figures ? error_json(*cell.predicted, *cell.figures) : Json(nullptr);
  return json;
}

Json savings_json(const StateProfile& profile) {
  Json savings = Json::array();
  for (const PaneSaving& saving : profile.savings) {
    savings.push_back({{"size_ms", profile.options.size},
                       {"slide_ms", saving.slide},
                       {"keys", saving.keys},
                       {"strategy", to_string(saving.strategy)},
                       {"rows_per_key_and_slide", saving.rows_per_key_and_slide},
                       {"work", saving.work},
                       {"entries", saving.entries},
                       {"allocated", saving.allocated}});
  }
  return savings;
}

}  // namespace

std::string profile_json(const StateProfile& profile, const Machine& machine, const Build& build) {
  Json report;
  report["schema"] = "tidemark-profile/1";
  report["machine"] = machine_json(machine);
  report["build"] = build_json(build);
  report["options"] = profile_options_json(profile.options);
  Json cells = Json::array();
  for (const ProfileCell& cell : profile.cells) cells.push_back(cell_json(profile.options, cell));
  report["cells"] = cells;
  report["savings"] = savings_json(profile);
  report["checks"] = {{"right", profile.checks.right()},
                      {"comparable", profile.checks.comparable},
                      {"disagreeing", profile.checks.disagreeing},
                      {"rows_add_up", profile.checks.rows_add_up},
                      {"no_overflow", profile.checks.no_overflow}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tidemark
