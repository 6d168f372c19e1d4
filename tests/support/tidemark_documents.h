// JSON documents of bench, its suite and profile, as small as they can be: every member that a
// comparison reads, for tests that change one of them.
#pragma once

#include <nlohmann/json.hpp>

namespace tidemark::test_support {

inline nlohmann::ordered_json document_of(const char* schema) {
  return {{"schema", schema},
          {"machine", {{"cpus", 2}}},
          {"build", {{"commit", "abc"}, {"flags", "-O3"}}},
          {"options", {{"keys", 10}, {"repeats", 2}}},
          {"checks", {{"right", true}}}};
}

inline nlohmann::ordered_json latency_document(int nanoseconds) {
  return {{"count", 4'000},
          {"p50", nanoseconds},
          {"p90", 2 * nanoseconds},
          {"p99", 3 * nanoseconds},
          {"p99.9", 4 * nanoseconds}};
}

inline nlohmann::ordered_json bench_document() {
  nlohmann::ordered_json document = document_of("tidemark-bench/2");
  document["throughput"]["repeats"] = {
      {{"rows_per_second", 10}, {"rows_read", 60}, {"cpu_seconds", 3}},
      {{"rows_per_second", 12}, {"rows_read", 60}, {"cpu_seconds", 4}}};
  for (const char* latency : {"event_time_to_result", "hand_over_to_result"}) {
    document["latency"][latency] = latency_document(500);
  }
  // Nothing was counted, so there is no percentile.
  document["latency"]["watermark_to_result"] = {
      {"count", 0}, {"p50", nullptr}, {"p90", nullptr}, {"p99", nullptr}, {"p99.9", nullptr}};
  document["rates"] = {{"highest_sustained", 90}};
  document["counters"] = {{"updates", 3}, {"results", 5}, {"checksum", "0x1"}};
  document["suite"] = nullptr;
  return document;
}

inline nlohmann::ordered_json suite_job_document(const char* name) {
  return {{"name", name},
          {"options", {{"keys", 4}}},
          {"counters", {{"merges", 4}, {"results", 5}, {"checksum", "0x1"}}},
          {"instructions", 7},
          {"throughput", {{"rows_per_second", {1, 2}}}}};
}

inline nlohmann::ordered_json suite_document() {
  nlohmann::ordered_json document = document_of("tidemark-bench/2");
  for (const char* part : {"throughput", "latency", "rates", "counters"}) document[part] = nullptr;
  document["suite"] = {suite_job_document("panes"), suite_job_document("sessions")};
  return document;
}

inline nlohmann::ordered_json profile_cell_document(const char* strategy) {
  return {{"size_ms", 3'600'000},
          {"slide_ms", 1'000},
          {"keys", 10},
          {"strategy", strategy},
          {"refused", nullptr},
          {"updates_per_row", 1},
          {"merges_per_slide", 2.5},
          {"work_per_row", 3},
          {"live_entries", 7},
          {"state_bytes", 70},
          {"entries_at_end", 6},
          {"results", 5},
          {"checksum", "0x1"},
          {"rows_per_second_samples", {8, 9}},
          {"firing_ns", {{"count", 9}, {"median", 3}, {"p99", 4}}}};
}

inline nlohmann::ordered_json profile_document() {
  nlohmann::ordered_json document = document_of("tidemark-profile/1");
  document["cells"] = {profile_cell_document("two-stacks")};
  document["cells"].push_back({{"size_ms", 3'600'000},
                               {"slide_ms", 1'000},
                               {"keys", 10},
                               {"strategy", "subtract"},
                               {"refused", "max cannot be subtracted"},
                               {"updates_per_row", nullptr}});
  return document;
}

}  // namespace tidemark::test_support
