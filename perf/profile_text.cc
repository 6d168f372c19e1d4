#include "tidemark/perf/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "tidemark/connectors/run_summary.h"
#include "tidemark/perf/figure_text.h"
#include "tidemark/perf/text_lines.h"
#include "tidemark/runtime/duration.h"

namespace tidemark {

namespace {

// Above this share, stamps tell in the shares of the phases that they are taken for.
constexpr double kManyStamps = 0.05;
// So many keys are named.
constexpr std::size_t kNamedKeys = 3;
// Below the first nothing much is saved, above the second it is plain to see.
constexpr double kNothingSaved = 1.5;
constexpr double kMuchSaved = 2;

std::string percent_text(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string number_text(double number) {
  return number >= 1e4 ? short_count(number) : fmt::format("{:.4g}", number);
}

std::string rounded_bytes_text(double bytes) {
  return bytes_text(static_cast<std::uint64_t>(std::llround(bytes)));
}

// What was predicted, and by how much more or less was measured.
std::string beside(double measured, double expected, const std::string& expected_text) {
  const auto error = prediction_error(measured, expected);
  return error ? fmt::format("{} {:>+6.1f} %", expected_text, 100 * *error)
               : expected_text + "      ?";
}

std::string beside(double measured, std::optional<double> expected) {
  return expected ? beside(measured, *expected, number_text(*expected)) : "not predicted";
}

std::string bytes_beside(std::uint64_t measured, std::optional<double> expected) {
  if (!expected) return "not predicted";
  return beside(static_cast<double>(measured), *expected, rounded_bytes_text(*expected));
}

// What is allocated comes in blocks, so that little state takes many times what it needs.
std::string allocated_beside(std::uint64_t measured, std::optional<double> expected) {
  if (!expected) return "not predicted";
  return fmt::format("{} x {:.3g}", rounded_bytes_text(*expected),
                     static_cast<double>(measured) / *expected);
}

std::string firing_text(std::optional<std::int64_t> time) {
  return time ? nanoseconds_text(static_cast<double>(*time)) : "no data";
}

// Writes the report's parts one after the other.
class ProfileText : public TextLines {
 public:
  explicit ProfileText(const StateProfile& profile) : profile_(profile) {}

  void job() {
    const ProfileOptions& options = profile_.options;
    std::string aggregates;
    for (const AggregateSpec& aggregate : options.aggregates) {
      aggregates += (aggregates.empty() ? "" : ", ") + aggregate.name;
    }
    line("job      windows of {}; {}; keys {}", format_duration(options.size), aggregates,
         to_string(options.stream.skew));
    line("         {} rows, {} a second of event time, disorder {}, seed {}", options.stream.rows,
         options.stream.event_rate, format_duration(options.stream.disorder), options.stream.seed);
  }

  void machine(const Machine& machine, const Build& build) {
    line("machine  {}", machine_text(machine));
    line("build    {} {}, {}, {} {}, {}", build.version, build.commit, build.compiler,
         build.build_type, build.flags, build.allocator);
    line(
        "measured the window stage alone, on one core, over whole windows from the first full one");
    line("         on; rows/s: the median of {} passes; a firing: its shortest time in these",
         profile_.options.repeats);
  }

  // All cells of one slide and number of keys.
  void place(std::vector<ProfileCell>::const_iterator begin,
             std::vector<ProfileCell>::const_iterator end) {
    line("");
    line(
        "slide {}, {} per window; {} keys, {:.3g} rows per key and slide",
        format_duration(begin->slide),
        number_text(static_cast<double>(profile_.options.size) / static_cast<double>(begin->slide)),
        begin->keys, begin->rows_per_key_and_slide());
    line("  {:<14} {:>8} {:>9} {:>10} {:>9} {:>8} {:>10} {:>10} {:>8}", "", "rows/s", "updates",
         "merges", "work", "live", "state", "allocated", "B per");
    line("  {:<14} {:>8} {:>9} {:>10} {:>9} {:>8} {:>10} {:>10} {:>8}", "", "", "per row",
         "per slide", "per row", "entries", "", "", "key");
    for (auto cell = begin; cell != end; ++cell) cost(*cell);
    if (std::none_of(begin, end, [](const ProfileCell& cell) { return cell.figures.has_value(); }))
      return;
    line("  {:<14} {:>9} {:>9} {:>9}   {:>6} {:>6} {:>6} {:>6} {:>6}", "one firing", "median",
         "p99", "worst", "probe", "update", "fire", "evict", "other");
    for (auto cell = begin; cell != end; ++cell) time(*cell);
    line("  {:<14} {:>17} {:>17} {:>17} {:>19} {:>19}", "predicted", "updates per row",
         "merges per slide", "live entries", "state", "allocated");
    for (auto cell = begin; cell != end; ++cell) prediction(*cell);
    heaviest_keys(begin, end);
    jobs(begin, end);
  }

  void savings() {
    if (profile_.savings.empty()) return;
    const std::vector<Strategy> strategies = saving_strategies();
    line("");
    line("panes against buckets: how many times less work per row / fewer live entries");
    std::string header = fmt::format("  {:>8} {:>8} {:>12}", "slide", "keys", "rows per");
    for (const Strategy strategy : strategies)
      header += fmt::format(" {:>16}", to_string(strategy));
    line("{}", header);
    line("  {:>8} {:>8} {:>12}", "", "", "key, slide");
    for (const PaneSaving* row : rows_by_density()) saving_row(*row, strategies);
    conclusion();
  }

  void checks() {
    const ProfileChecks& checks = profile_.checks;
    line("");
    const bool none_ran =
        std::none_of(profile_.cells.begin(), profile_.cells.end(),
                     [](const ProfileCell& cell) { return cell.figures.has_value(); });
    if (none_ran) {
      line("check    nothing: no cell was run");
      return;
    }
    const char* const verdict =
        checks.comparable ? "results of the strategies of each cell have the same checksum"
                          : "strategies of each cell have the same number of results (their last "
                            "bits depend on the order of additions)";
    if (checks.disagreeing.empty()) line("check    {}", verdict);
    for (const std::string& sentence : checks.disagreeing) line("check    WRONG: {}", sentence);
    if (!checks.rows_add_up) line("         WRONG: rows do not add up, or passes differ");
    if (!checks.no_overflow) line("         WRONG: a sum did not fit its result");
  }

 private:
  static std::string name_of(const ProfileCell& cell) {
    if (!cell.figures || cell.figures->ran == cell.strategy) {
      return std::string(to_string(cell.strategy));
    }
    return fmt::format("= {}", to_string(cell.figures->ran));
  }

  void cost(const ProfileCell& cell) {
    if (!cell.figures) {
      line("  {:<14} refused: {}", name_of(cell), *cell.refused);
      return;
    }
    const CellFigures& figures = *cell.figures;
    line("  {:<14} {:>8} {:>9} {:>10} {:>9} {:>8} {:>10} {:>10} {:>8}{}", name_of(cell),
         short_count(figures.rows_per_second), number_text(figures.updates_per_row),
         number_text(figures.merges_per_slide), number_text(figures.work_per_row),
         number_text(static_cast<double>(figures.live_entries)), bytes_text(figures.state_bytes),
         bytes_text(figures.allocated_bytes), number_text(figures.bytes_per_key),
         figures.window_filled ? "" : "  window never full");
  }

  void time(const ProfileCell& cell) {
    if (!cell.figures) return;
    const CellFigures& figures = *cell.figures;
    std::string shares;
    for (const double share : figures.time_share) {
      shares += fmt::format(" {:>6}", percent_text(share));
    }
    line("  {:<14} {:>9} {:>9} {:>9}  {}{}", name_of(cell),
         firing_text(figures.firings.percentile(50)), firing_text(figures.firings.percentile(99)),
         firing_text(figures.firings.max()), shares,
         figures.stamp_share > kManyStamps
             ? fmt::format("  (taking time took {})", percent_text(figures.stamp_share))
             : "");
  }

  void prediction(const ProfileCell& cell) {
    if (!cell.figures) return;
    const CellFigures& figures = *cell.figures;
    const ProfilePrediction& predicted = *cell.predicted;
    line("  {:<14} {:>17} {:>17} {:>17} {:>19} {:>19}", name_of(cell),
         beside(figures.updates_per_row, std::optional(predicted.updates_per_row)),
         beside(figures.merges_per_slide, predicted.merges_per_slide),
         beside(static_cast<double>(figures.live_entries), predicted.live_entries),
         bytes_beside(figures.state_bytes, predicted.state_bytes),
         allocated_beside(figures.allocated_bytes, predicted.allocated_bytes));
  }

  void heaviest_keys(std::vector<ProfileCell>::const_iterator begin,
                     std::vector<ProfileCell>::const_iterator end) {
    line("  most entries, of a median of");
    for (auto cell = begin; cell != end; ++cell) {
      if (!cell->figures) continue;
      const CellFigures& figures = *cell->figures;
      std::string keys;
      for (const KeyEntries& key : figures.top_keys) {
        if (&key - figures.top_keys.data() == kNamedKeys) break;
        keys += fmt::format("{} key {} with {} ({})", keys.empty() ? "" : ",", key.key, key.entries,
                            bytes_text(key.entries * figures.entry_bytes));
      }
      line("  {:<14} {:>9} {}", name_of(*cell), figures.key_entries_median, keys);
    }
  }

  void jobs(std::vector<ProfileCell>::const_iterator begin,
            std::vector<ProfileCell>::const_iterator end) {
    if (profile_.options.cores == 0) return;
    line("  the whole job on {} core{}, once", profile_.options.cores,
         profile_.options.cores == 1 ? "" : "s");
    for (auto cell = begin; cell != end; ++cell) {
      if (!cell->job) continue;
      line("  {:<14} {:>9} rows/s", name_of(*cell), short_count(cell->job->rows_per_second));
    }
  }

  std::vector<Strategy> saving_strategies() const {
    std::vector<Strategy> strategies;
    for (const PaneSaving& saving : profile_.savings) {
      if (std::find(strategies.begin(), strategies.end(), saving.strategy) == strategies.end()) {
        strategies.push_back(saving.strategy);
      }
    }
    return strategies;
  }

  const PaneSaving* saving_of(const PaneSaving& place, Strategy strategy) const {
    for (const PaneSaving& saving : profile_.savings) {
      if (saving.slide == place.slide && saving.keys == place.keys && saving.strategy == strategy) {
        return &saving;
      }
    }
    return nullptr;
  }

  // One of each slide and number of keys, the densest first.
  std::vector<const PaneSaving*> rows_by_density() const {
    std::vector<const PaneSaving*> rows;
    for (const PaneSaving& saving : profile_.savings) {
      const bool is_new = std::none_of(rows.begin(), rows.end(), [&](const PaneSaving* row) {
        return row->slide == saving.slide && row->keys == saving.keys;
      });
      if (is_new) rows.push_back(&saving);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const PaneSaving* a, const PaneSaving* b) {
      return a->rows_per_key_and_slide > b->rows_per_key_and_slide;
    });
    return rows;
  }

  void saving_row(const PaneSaving& place, const std::vector<Strategy>& strategies) {
    std::string row = fmt::format("  {:>8} {:>8} {:>12.3g}", format_duration(place.slide),
                                  place.keys, place.rows_per_key_and_slide);
    for (const Strategy strategy : strategies) {
      const PaneSaving* const saving = saving_of(place, strategy);
      row += fmt::format(" {:>16}", saving == nullptr ? std::string("-")
                                                      : fmt::format("{:.3g} / {:.3g}", saving->work,
                                                                    saving->entries));
    }
    line("{}", row);
  }

  // The densest and the sparsest place whose windows overlap, by the plainest strategy there is.
  void conclusion() {
    const std::vector<Strategy> strategies = saving_strategies();
    const bool plain =
        std::find(strategies.begin(), strategies.end(), Strategy::kRecompute) != strategies.end();
    const Strategy strategy = plain ? Strategy::kRecompute : strategies.front();
    const PaneSaving* dense = nullptr;
    const PaneSaving* sparse = nullptr;
    for (const PaneSaving* place : rows_by_density()) {
      if (place->slide >= profile_.options.size || saving_of(*place, strategy) == nullptr) continue;
      sparse = saving_of(*place, strategy);
      if (dense == nullptr) dense = sparse;
    }
    if (dense == sparse) return;
    extreme("densest", *dense);
    extreme("sparsest", *sparse);
    if (dense->work >= kMuchSaved && dense->entries < kNothingSaved &&
        sparse->entries >= kMuchSaved) {
      line("  so panes save work where keys are dense, and bytes only where they are sparse");
    }
  }

  void extreme(const char* name, const PaneSaving& saving) {
    line("  {:<8} {:.3g} rows per key and slide ({} keys, slide {}): {} needs", name,
         saving.rows_per_key_and_slide, saving.keys, format_duration(saving.slide),
         to_string(saving.strategy));
    line(
        "           {:.3g} times the work of buckets, {:.3g} times their entries, {:.3g} times "
        "their bytes",
        1 / saving.work, 1 / saving.entries, 1 / saving.allocated);
  }

  const StateProfile& profile_;
};

}  // namespace

std::string profile_text(const StateProfile& profile, const Machine& machine, const Build& build) {
  ProfileText text(profile);
  text.job();
  text.machine(machine, build);
  for (auto begin = profile.cells.begin(); begin != profile.cells.end();) {
    const auto end = std::find_if(begin, profile.cells.end(), [&](const ProfileCell& cell) {
      return cell.slide != begin->slide || cell.keys != begin->keys;
    });
    text.place(begin, end);
    begin = end;
  }
  text.savings();
  text.checks();
  return text.take();
}

}  // namespace tidemark
