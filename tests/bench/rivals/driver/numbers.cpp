// SPDX-License-Identifier: Apache-2.0
#include "numbers.h"

#include <algorithm>

namespace rivals {

namespace {

// Between two neighbours if the place is no whole number.
double at(const std::vector<double> &sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

template <typename Function>
std::vector<double> pairs(const std::vector<double> &a, const std::vector<double> &b, Function function) {
  std::vector<double> result;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) result.push_back(function(a[i], b[i]));
  return result;
}

}  // namespace

Spread spread_of(std::vector<double> runs) {
  std::sort(runs.begin(), runs.end());
  return {at(runs, 0.5), at(runs, 0.25), at(runs, 0.75)};
}

std::vector<double> ratios(const std::vector<double> &runs, const std::vector<double> &others) {
  return pairs(runs, others, [](double a, double b) { return a / b; });
}

std::vector<double> differences(const std::vector<double> &runs, const std::vector<double> &others) {
  return pairs(runs, others, [](double a, double b) { return a - b; });
}

}  // namespace rivals
