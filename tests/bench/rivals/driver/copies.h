// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_COPIES_H
#define BKR_TESTS_BENCH_RIVALS_COPIES_H

// The directories that the probes work on, made for one run of the driver and removed after it.
#include <filesystem>
#include <string>

namespace rivals {

class Copies {
 public:
  // parts: where the plugins were built. where: a folder that is emptied.
  Copies(std::filesystem::path parts, std::filesystem::path where);
  ~Copies();
  Copies(const Copies &) = delete;
  Copies &operator=(const Copies &) = delete;

  // A directory with so many copies of a plugin, each a file of its own with a number of its own in its name and its
  // texts. Made if it is not there yet. A set is kept apart from the others: its pages, and what is known of them.
  std::string of(const std::string &plugin, int count, const std::string &set = "");

  // A directory with files that are no plugins.
  std::string unrelated(int count);

  // A folder for what programs write.
  std::filesystem::path folder(const std::string &name);

  // When all are made: waits until every file is old enough for a cache to trust its time of change, and writes the
  // list that GIO keeps.
  void settle() const;

 private:
  std::filesystem::path parts_;
  std::filesystem::path where_;
};

}  // namespace rivals

#endif  // BKR_TESTS_BENCH_RIVALS_COPIES_H
