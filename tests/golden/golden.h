// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_GOLDEN_GOLDEN_H
#define BKR_TESTS_GOLDEN_GOLDEN_H

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "child.h"
#include "loading_fixture.h"

namespace golden {

using namespace loading;

// A test of one situation. Its text is in texts/<name of the test>.txt, or <name of the parameter> where a table has
// the situations.
class Golden : public testing::Test {
 public:
  using Placeholders = std::vector<std::pair<std::string, std::string>>;  // a text, and what stands for it

 protected:
  Golden();

  // What a failure tells: status, stage, system's code and text, and the lines of the registry's log. What differs from
  // machine to machine and from run to run is replaced by a word in braces.
  std::string told(const Answer &answer) const;
  std::string told(const Answer &answer, const Registry &registry) const;
  std::string logged(const Registry &registry) const;

  // Compares with the test's file, or writes it.
  static void expect(const std::string &told);
  void expect(const Answer &answer, const Registry &registry) const { expect(told(answer, registry)); }

  // The same with what `work` gives in a child process (as another user than root: where this process is root's).
  static void expect_from_child(const std::function<std::string()> &work);
  static void expect_from_child_without_root(const std::function<std::string()> &work);

  const TempDir dir;

 private:
  std::string with_placeholders(std::string text) const;
  const Placeholders literals_;  // found beforehand: a test may leave the system's loader unable to answer
};

// Calls the tests of a table by the names of its rows.
struct RowName {
  template <class Row>
  std::string operator()(const testing::TestParamInfo<Row> &row) const {
    return row.param.name;
  }
};

// The name of a test's file, for a test as GoogleTest names it.
std::string file_of(const std::string &test);

}  // namespace golden

#endif  // BKR_TESTS_GOLDEN_GOLDEN_H
