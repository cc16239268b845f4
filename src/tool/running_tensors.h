// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_RUNNING_TENSORS_H
#define BKR_TOOL_RUNNING_TENSORS_H

#include <dlpack/dlpack.h>

#include <map>
#include <string>

#include "case.h"

namespace bkr::tool {

// The tensors of a case while it runs: copies, and a DLTensor for each.
class RunningTensors {
 public:
  explicit RunningTensors(const CaseTensors &tensors);

  bool has(const char *name) const { return tensors_.contains(name); }
  const CaseTensor &at(const char *name) const { return tensors_.at(name); }

  // NULL for a tensor that the case does not have: whether it may be missing, the backend knows.
  const DLTensor *view(const char *name) const;

  // A tensor to be written, of NaN so that what is not written is seen; nothing if the case brings one. It has the
  // shape of the expected one, else that of `like`, and the element type of `like`.
  void add_result(const char *name, const CaseTensors &expected, const CaseTensor &like);

 private:
  CaseTensors tensors_;
  std::map<std::string, DLTensor> views_;
};

}  // namespace bkr::tool

#endif  // BKR_TOOL_RUNNING_TENSORS_H
