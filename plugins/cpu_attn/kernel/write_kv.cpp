// SPDX-License-Identifier: Apache-2.0
#include "write_kv.h"

#include <algorithm>

namespace cpu {
namespace {

// From one element type to another through float32, a few elements at a time: rounded once, where the value leaves it.
template <class From, class To>
void convert_row(const From *from, int64_t count, To *to) {
  constexpr int64_t kPiece = 64;
  float piece[kPiece];
  for (int64_t at = 0; at < count; at += kPiece) {
    const int64_t size = std::min(kPiece, count - at);
    widen_row(from + at, size, piece);
    narrow_row(piece, size, to + at);
  }
}

void write_row(const HeadRows &rows, int64_t token, int64_t head, int64_t size, const KeyValues &cache, int64_t slot) {
  const std::byte *from = rows.row(token, head);
  std::byte *to = cache.data + slot / cache.block_size * cache.block_stride +
                  slot % cache.block_size * cache.token_stride + head * cache.head_stride;
  if (rows.element == cache.element) {
    std::copy_n(from, size * size_of(rows.element), to);
    return;
  }
  with_element(rows.element, [&](auto source) {
    with_element(cache.element, [&](auto target) {
      convert_row(reinterpret_cast<const decltype(source) *>(from), size, reinterpret_cast<decltype(target) *>(to));
    });
  });
}

}  // namespace

void run(const CacheWrite &write) {
  for (int64_t token = 0; token < write.tokens; ++token) {
    const int64_t slot = write.slot(token);
    if (slot < 0) continue;
    for (int64_t head = 0; head < write.kv_heads; ++head) {
      write_row(write.key, token, head, write.head_size, write.key_cache, slot);
      write_row(write.value, token, head, write.value_head_size, write.value_cache, slot);
    }
  }
}

}  // namespace cpu
