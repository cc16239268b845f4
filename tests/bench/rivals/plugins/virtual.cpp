// SPDX-License-Identifier: Apache-2.0
// What the plain plugin does, behind a virtual function.
#include <backend_registry/export.h>

#include "table.h"

namespace {

class Adder final : public rivals::Sum {
 public:
  uint32_t add(uint32_t number) override { return sum_ += number; }

 private:
  uint32_t sum_ = 0;
};

}  // namespace

extern "C" BKR_EXPORT rivals::Sum *create_sum() { return new Adder; }
