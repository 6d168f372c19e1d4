#include "tidemark/perf/change_points.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

#include "tidemark/perf/rank_test.h"

namespace tidemark {

namespace {

struct Cut {
  std::size_t index = 0;
  double strength = -1;  // the scaled energy distance; negative: there is no cut
};

double sum_of_distances(const double* values, std::size_t count, double from) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::abs(values[i] - from);
  return sum;
}

// The strongest cut of values[begin, end). Going through the cuts, one value at a time changes from
// the right part to the left; sums of distances within and between the parts follow.
Cut strongest_cut(const std::vector<double>& values, std::size_t begin, std::size_t end,
                  std::size_t shortest) {
  const std::size_t size = end - begin;
  Cut best;
  if (size < 2 * shortest) return best;
  const double* first = values.data() + begin;
  double left = 0, between = 0, right = 0;
  for (std::size_t i = 1; i < size; ++i) right += sum_of_distances(first, i, first[i]);
  for (std::size_t cut = 1; cut + shortest <= size; ++cut) {
    const double moved = first[cut - 1];
    const double to_left = sum_of_distances(first, cut - 1, moved);
    const double to_right = sum_of_distances(first + cut, size - cut, moved);
    left += to_left;
    right -= to_right;
    between += to_right - to_left;
    if (cut < shortest) continue;
    const auto n = static_cast<double>(cut);
    const auto m = static_cast<double>(size - cut);
    const double energy =
        2 * between / (n * m) - 2 * left / (n * (n - 1)) - 2 * right / (m * (m - 1));
    const double strength = n * m / (n + m) * energy;
    if (strength > best.strength) best = {begin + cut, strength};
  }
  return best;
}

// `borders` are where segments begin, and the end.
Cut strongest_cut_of_all(const std::vector<double>& values, const std::vector<std::size_t>& borders,
                         std::size_t shortest) {
  Cut best;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const Cut cut = strongest_cut(values, borders[i], borders[i + 1], shortest);
    if (cut.strength > best.strength) best = cut;
  }
  return best;
}

// Fisher and Yates; std::shuffle may differ from library to library.
void shuffle_within(std::vector<double>& values, std::size_t begin, std::size_t end,
                    std::mt19937_64& random) {
  for (std::size_t i = end - begin; i > 1; --i) {
    std::swap(values[begin + i - 1], values[begin + random() % i]);
  }
}

double permutation_p(const std::vector<double>& values, const std::vector<std::size_t>& borders,
                     double strength, const ChangePointOptions& options, std::mt19937_64& random) {
  std::vector<double> shuffled = values;
  const auto all = static_cast<double>(options.permutations + 1);
  std::size_t as_strong = 1;  // the series itself is one of its permutations
  for (std::size_t i = 0; i < options.permutations; ++i) {
    for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
      shuffle_within(shuffled, borders[s], borders[s + 1], random);
    }
    if (strongest_cut_of_all(shuffled, borders, options.shortest).strength >= strength) ++as_strong;
    // The rest could only add to it.
    if (static_cast<double>(as_strong) > options.alpha * all) break;
  }
  return static_cast<double>(as_strong) / all;
}

double median_between(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  return median_of({values.begin() + static_cast<std::ptrdiff_t>(begin),
                    values.begin() + static_cast<std::ptrdiff_t>(end)});
}

}  // namespace

std::vector<ChangePoint> find_change_points(const std::vector<double>& values,
                                            const ChangePointOptions& options) {
  std::mt19937_64 random(options.seed);
  const std::size_t shortest = std::max<std::size_t>(options.shortest, 2);
  std::vector<std::size_t> borders{0, values.size()};
  std::vector<ChangePoint> points;
  while (true) {
    const Cut cut = strongest_cut_of_all(values, borders, shortest);
    if (cut.strength <= 0) break;
    const double p = permutation_p(values, borders, cut.strength, options, random);
    if (p > options.alpha) break;
    borders.insert(std::upper_bound(borders.begin(), borders.end(), cut.index), cut.index);
    points.push_back({cut.index, 0, 0, p});
  }
  std::sort(points.begin(), points.end(),
            [](const ChangePoint& a, const ChangePoint& b) { return a.index < b.index; });
  for (ChangePoint& point : points) {
    const auto border = std::lower_bound(borders.begin(), borders.end(), point.index);
    point.before = median_between(values, *(border - 1), point.index);
    point.after = median_between(values, point.index, *(border + 1));
  }
  std::erase_if(points, [&](const ChangePoint& point) {
    return std::abs(point.after - point.before) < options.smallest_change * std::abs(point.before);
  });
  return points;
}

}  // namespace tidemark
