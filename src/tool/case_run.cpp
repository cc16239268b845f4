// SPDX-License-Identifier: Apache-2.0
#include "case_run.h"

#include <backend_registry/registry.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention_case.h"
#include "mamba_case.h"
#include "mla_prefill_case.h"

namespace bkr::tool {
namespace {

// What can run the cases of an interface: takes its table and the case, gives the tensors that came out.
struct Runner {
  const char *interface_id;
  CaseTensors (*run)(bkr_backend *backend, const void *table, const Case &recorded);
};
constexpr Runner kRunners[] = {
    {kAttentionInterface, run_attention_case},
    {kMambaInterface, run_mamba_case},
    {kMlaPrefillInterface, run_mla_prefill_case},
};

const Runner &runner_for(const std::string &interface_id) {
  std::string known;
  for (const Runner &runner : kRunners) {
    if (interface_id == runner.interface_id) return runner;
    known += (known.empty() ? "" : ", ") + std::string(runner.interface_id);
  }
  throw CaseError("cases of interface \"" + interface_id + "\" are not known here; known: " + known);
}

double distance(double actual, double expected) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;  // infinities among them
  const double difference = std::fabs(actual - expected);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

}  // namespace

bool CaseResult::passed() const {
  return std::all_of(differences.begin(), differences.end(), [](const Difference &d) { return d.beyond == 0; });
}

Difference compare(const std::string &name, const CaseTensor &actual, const CaseTensor &expected, Tolerance tolerance) {
  if (actual.shape() != expected.shape()) throw CaseError("expected." + name + " has another shape than the result");
  Difference found;
  found.tensor = name;
  found.elements = expected.count();
  for (int64_t i = 0; i < expected.count(); ++i) {
    const double wanted = expected.number(i);
    const double difference = distance(actual.number(i), wanted);
    if (found.place_absolute.empty() || difference > found.largest_absolute) {
      found.largest_absolute = difference;
      found.place_absolute = expected.index(i);
    }
    const double relative = difference / std::fabs(wanted);
    if (wanted != 0 && (found.place_relative.empty() || relative > found.largest_relative)) {
      found.largest_relative = relative;
      found.place_relative = expected.index(i);
    }
    const double allowed = std::isfinite(wanted) ? tolerance.absolute + tolerance.relative * std::fabs(wanted) : 0;
    if (difference > allowed) ++found.beyond;
  }
  return found;
}

CaseResult run_case(bkr_backend *backend, const Case &recorded) {
  const Runner &runner = runner_for(recorded.interface_id);
  char text[2048];
  bkr_error error = BKR_ERROR_INIT(text);
  const void *table = nullptr;
  const bkr_status status = bkr_backend_get_interface(backend, runner.interface_id, &table, &error);
  if (status != BKR_OK) throw CaseError(std::string(bkr_status_name(status)) + ": " + text);

  const CaseTensors results = runner.run(backend, table, recorded);
  CaseResult result;
  for (const auto &[name, expected] : recorded.expected) {
    const auto found = results.find(name);
    if (found == results.end()) throw CaseError("expected." + name + " is nothing that this case computes");
    result.differences.push_back(compare(name, found->second, expected, recorded.tolerance));
  }
  return result;
}

}  // namespace bkr::tool
