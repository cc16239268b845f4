// SPDX-License-Identifier: Apache-2.0
#ifndef ENGINE_BATCH_H
#define ENGINE_BATCH_H

#include "tensor.h"

namespace engine {

// Tokens in a block of the paged caches.
inline constexpr int64_t kBlockSize = 16;

// One request: its tokens so far, and where its memory lies.
struct Sequence {
  std::vector<int32_t> tokens;  // the prompt, then what was generated
  int64_t done = 0;             // how many of them the model has seen
  std::vector<int32_t> blocks;  // of the paged caches, in order
  int32_t slot = 0;             // of the states
};

// The next tokens of some requests, one request after the other.
class Batch {
 public:
  struct Work {
    Sequence *sequence;
    int64_t tokens;  // how many it goes on by
  };

  // Takes blocks that the sequences need from `free_blocks`.
  Batch(std::vector<Work> work, std::vector<int32_t> &free_blocks);

  int64_t requests() const { return static_cast<int64_t>(work_.size()); }
  int64_t tokens() const { return static_cast<int64_t>(position.size()); }
  int64_t begin(int64_t request) const { return query_start_loc.data[static_cast<std::size_t>(request)]; }
  int64_t count(int64_t request) const { return begin(request + 1) - begin(request); }
  // What the model has seen of a request before this batch.
  int64_t context(int64_t request) const { return sequence(request).done; }
  const Sequence &sequence(int64_t request) const { return *work_[static_cast<std::size_t>(request)].sequence; }

  // To be called when all layers have done their work.
  void finish();

  std::vector<int32_t> token;     // of each row
  std::vector<int64_t> position;  // of each row in its sequence
  Tensor<int32_t> query_start_loc;
  Tensor<int32_t> seq_lens;
  Tensor<int32_t> block_table;
  Tensor<int64_t> slot_mapping;
  Tensor<int32_t> state_indices;
  Tensor<int32_t> has_initial_state;

 private:
  std::vector<Work> work_;
};

}  // namespace engine

#endif  // ENGINE_BATCH_H
