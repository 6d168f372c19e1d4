// Decides whether a measurement regressed against another, figure by figure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/perf/measurement.h"
#include "tidemark/perf/verdict.h"

namespace tidemark {

struct CompareOptions {
  double threshold = 0.05;              // smallest change of a timing that counts, as a fraction
  double alpha = 0.05;                  // chance of one or more false alarms; 1: threshold alone
  std::size_t min_runs = 10;            // samples that a timing needs on each side
  double instruction_tolerance = 0.02;  // as a fraction
  bool allow_different = false;         // machines, builds, options
  bool allow_missing = false;           // figures that only the base has are no failure
  bool counters_only = false;           // timings are reported and do not decide
  bool paired = false;                  // sample i of both sides was measured at the same time
  // Shell patterns of figure names: which count at all, and which way is better for user counters.
  std::vector<std::string> only;
  std::vector<std::string> ignore;
  std::vector<std::string> lower;
  std::vector<std::string> higher;
};

struct FigureSide {
  double median = 0;
  std::size_t count = 0;
  std::vector<double> samples;
  std::string text;  // of a counter that is a text
};

struct FigureComparison {
  std::string name;
  std::string unit;
  Better better = Better::kLower;
  FigureKind kind = FigureKind::kTiming;
  std::optional<FigureSide> base;
  std::optional<FigureSide> next;
  // New over base, less 1. Nothing where a side is missing, a text, or the base is 0.
  std::optional<double> change;
  // Adjusted for the number of figures compared; nothing where no test decided.
  std::optional<double> p_value;
  Verdict verdict = Verdict::kSame;
  std::string reason;  // why, where figures alone do not tell; may be empty
};

struct Comparison {
  std::string base_source;
  std::string next_source;
  std::string base_machine, base_build, next_machine, next_build;  // JSON, as read
  CompareOptions options;
  std::vector<FigureComparison> figures;  // as the base has them, then those that are added
  std::vector<std::string> notes;         // what a reader should know, a sentence each
  std::string not_comparable;             // why nothing can be said; empty if something can
  std::string wrong;                      // a result was wrong: why

  OverallVerdict verdict() const;
  std::size_t count(Verdict verdict) const;
};

// Timings are regressed or improved if the change is at least the threshold and the test finds it
// after Holm's correction over all timings: Mann-Whitney on samples with the medians' ratio; on
// pairs the signed-rank test with the Hodges-Lehmann estimate of the ratio, where that many pairs
// can reach alpha at all; Welch's test where there are only aggregates. Counters must be equal.
Comparison compare(const Measurement& base, const Measurement& next, const CompareOptions& options);

}  // namespace tidemark
