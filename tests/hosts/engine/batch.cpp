// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <algorithm>

namespace engine {

Batch::Batch(std::vector<Work> work, std::vector<int32_t> &free_blocks) : work_(std::move(work)) {
  const int64_t count = requests();
  query_start_loc = Tensor<int32_t>({count + 1});
  seq_lens = Tensor<int32_t>({count});
  state_indices = Tensor<int32_t>({count});
  has_initial_state = Tensor<int32_t>({count});
  std::size_t most_blocks = 0;
  for (std::size_t r = 0; r < work_.size(); ++r) {
    Sequence &sequence = *work_[r].sequence;
    const int64_t length = sequence.done + work_[r].tokens;
    while (static_cast<int64_t>(sequence.blocks.size()) * kBlockSize < length) {
      sequence.blocks.push_back(free_blocks.back());
      free_blocks.pop_back();
    }
    most_blocks = std::max(most_blocks, sequence.blocks.size());
    for (int64_t at = sequence.done; at < length; ++at) {
      token.push_back(sequence.tokens[static_cast<std::size_t>(at)]);
      position.push_back(at);
    }
    query_start_loc.data[r + 1] = static_cast<int32_t>(token.size());
    seq_lens.data[r] = static_cast<int32_t>(length);
    state_indices.data[r] = sequence.slot;
    has_initial_state.data[r] = sequence.done > 0 ? 1 : 0;
  }
  block_table = Tensor<int32_t>({count, static_cast<int64_t>(most_blocks)}, -1);
  slot_mapping = Tensor<int64_t>({tokens()});
  for (int64_t r = 0; r < count; ++r) {
    const std::vector<int32_t> &blocks = sequence(r).blocks;
    std::copy(blocks.begin(), blocks.end(), block_table.row(r));
    for (int64_t row = begin(r); row < begin(r + 1); ++row) {
      const int64_t at = position[static_cast<std::size_t>(row)];
      slot_mapping.data[static_cast<std::size_t>(row)] =
          blocks[static_cast<std::size_t>(at / kBlockSize)] * kBlockSize + at % kBlockSize;
    }
  }
}

void Batch::finish() {
  for (const Work &part : work_) part.sequence->done += part.tokens;
}

}  // namespace engine
