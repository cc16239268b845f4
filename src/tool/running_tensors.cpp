// SPDX-License-Identifier: Apache-2.0
#include "running_tensors.h"

#include <limits>
#include <utility>

namespace bkr::tool {

RunningTensors::RunningTensors(const CaseTensors &tensors) : tensors_(tensors) {
  for (auto &[name, tensor] : tensors_) views_.emplace(name, tensor.view());
}

const DLTensor *RunningTensors::view(const char *name) const {
  const auto found = views_.find(name);
  return found == views_.end() ? nullptr : &found->second;
}

void RunningTensors::add_result(const char *name, const CaseTensors &expected, const CaseTensor &like) {
  if (has(name)) return;
  const auto recorded = expected.find(name);
  CaseTensor made(like.type(), recorded == expected.end() ? like.shape() : recorded->second.shape());
  for (int64_t i = 0; i < made.count(); ++i) made.set_number(i, std::numeric_limits<double>::quiet_NaN());
  const auto added = tensors_.emplace(name, std::move(made)).first;
  views_.emplace(name, added->second.view());
}

}  // namespace bkr::tool
