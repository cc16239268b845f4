// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_REGISTRY_PATH_POOL_H
#define BKR_REGISTRY_PATH_POOL_H

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/failure.h"
#include "registry/qualified_path.h"

namespace bkr::core {

// Makes qualified paths. Not synchronised: the family set calls it under its write lock.
class PathPool {
 public:
  explicit PathPool(Arena &arena) : arena_(arena) {}

  // The one path with this text (and, for a relative file, this working directory), made if there is none yet: an
  // override with a text seen before costs a look-up, and repeating it costs no memory. BKR_BAD_PATH as
  // check_path(). `parsed`: what parse_path() says of it, if that was asked already.
  Result<const QualifiedPath *> intern(std::string_view text, const ParsedPath *parsed = nullptr);

  // Makes room for as many more paths at once.
  void reserve(std::size_t count) {
    while ((count_ + count) * 4 > table_.size() * 3) grow();
  }

  // A path of its own, not found by intern(): for defaults, which are given once.
  Result<const QualifiedPath *> make(std::string_view text);

  // A path that is kept although it is refused, so that what names it fails with a reason: for the environment.
  const QualifiedPath *make_refused(std::string_view text);

 private:
  const QualifiedPath *place(std::string_view text, const ParsedPath &parsed, std::string_view absolute_file);
  std::size_t slot_of(std::string_view text, std::string_view absolute_file, bool any_file) const;
  void grow();

  Arena &arena_;
  std::vector<const QualifiedPath *> table_;  // open addressing, a power of two, at most three quarters full
  std::size_t count_ = 0;
};

}  // namespace bkr::core

#endif  // BKR_REGISTRY_PATH_POOL_H
