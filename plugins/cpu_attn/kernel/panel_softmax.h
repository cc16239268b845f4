// SPDX-License-Identifier: Apache-2.0
#ifndef CPU_ATTN_KERNEL_PANEL_SOFTMAX_H
#define CPU_ATTN_KERNEL_PANEL_SOFTMAX_H

// The softmax of softmax.h for the rows of a panel, each in a lane of its own.

#include "attention.h"
#include "panel.h"
#include "softmax.h"

namespace cpu {

// What each row of a panel sees of the keys that are worked on.
class PanelRows {
 public:
  void set(int64_t lane, Visible visible) {
    begin_[lane] = static_cast<int32_t>(visible.begin);
    end_[lane] = static_cast<int32_t>(std::max(visible.begin, visible.end));
  }

  // Leaves out the keys before and behind all that a row sees. Gives what is left; from then on keys count from there.
  Visible narrow();

  bool sees(int64_t lane, int64_t key) const { return key >= begin_[lane] && key < end_[lane]; }
  Visible seen_by_all() const;
  bool all_seen(int64_t count) const {
    const Visible all = seen_by_all();
    return all.begin == 0 && all.end == count;
  }

  const int32_t *begin() const { return begin_; }
  const int32_t *end() const { return end_; }

 private:
  int32_t begin_[kPanel];
  int32_t end_[kPanel];
};

struct PanelState {
  float largest[kPanel];
  float sum[kPanel];

  void set(int64_t lane, RowState state) {
    largest[lane] = state.largest;
    sum[lane] = state.sum;
  }
  RowState row(int64_t lane) const { return {largest[lane], sum[lane]}; }
};

// score / softcap comes in, softcap * tanh(it) in units of log2(e) goes out.
void cap_scores(float *scores, int64_t count, float softcap);

// Turns scores [count][kPanel] into weights (0 where not seen) and takes them into the state. `factors` is what each
// row's sums from before are to be multiplied by. Returns whether all of them are 1.
bool take_in(float *scores, int64_t count, const PanelRows &rows, PanelState &state, float *factors);

}  // namespace cpu

#endif  // CPU_ATTN_KERNEL_PANEL_SOFTMAX_H
