// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_BASE_PROCESS_WIDE_H
#define BKR_BASE_PROCESS_WIDE_H

#include <atomic>
#include <memory>

namespace bkr::core {

// One object for the whole process, made at the first question and never destroyed, since static destructors may
// still ask. (A local static would leave its guard locked in a child that was forked while another thread made it.)
template <class T>
class ProcessWide {
 public:
  T &get() {
    if (T *made = get_if_made()) return *made;
    auto mine = std::make_unique<T>();
    return keep_first(mine);
  }

  // Made of what `make()` returns.
  template <class Make>
  T &get(const Make &make) {
    if (T *made = get_if_made()) return *made;
    auto mine = std::make_unique<T>(make());
    return keep_first(mine);
  }

  T *get_if_made() const noexcept { return object_.load(std::memory_order_acquire); }

  // Keeps the object, unless another one is kept already.
  T &keep_first(std::unique_ptr<T> &mine) noexcept {
    T *expected = nullptr;
    return object_.compare_exchange_strong(expected, mine.get(), std::memory_order_acq_rel) ? *mine.release()
                                                                                            : *expected;
  }

 private:
  std::atomic<T *> object_{nullptr};
};

}  // namespace bkr::core

#endif  // BKR_BASE_PROCESS_WIDE_H
