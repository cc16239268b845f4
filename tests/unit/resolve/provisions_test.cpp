// SPDX-License-Identifier: Apache-2.0
#include "resolve/provisions.h"

#include <gtest/gtest.h>

namespace bkr::core {
namespace {

// Who named a file resolves it with what was read of it, also when another thread rescans in between.
TEST(Provisions, ANamedFileIsThereForWhoNamedItWhateverARescanForgets) {
  ProvisionTable table;
  const auto file = std::make_shared<const PluginFile>();
  const std::shared_ptr<const Provisions> with_it = table.add_named("/x/libx.so", file);
  EXPECT_EQ(table.current(), with_it);
  table.put(ProvisionTable::prepare(std::make_shared<const IndexedCatalog>(Catalog{})));
  EXPECT_TRUE(table.current()->named.empty());
  ASSERT_EQ(with_it->named.size(), 1u);
  EXPECT_EQ(with_it->named.at("/x/libx.so"), file);
}

TEST(Provisions, WhatTheHostProvidesOutlivesARescan) {
  ProvisionTable table;
  int user = 0;
  table.set_in_process({"attention", "a.B"}, {[](auto, auto, auto) { return BKR_OK; }, &user});
  table.put(ProvisionTable::prepare(std::make_shared<const IndexedCatalog>(Catalog{})));
  const auto now = table.current();
  ASSERT_NE(now->find_in_process("attention", "a.B"), nullptr);
  EXPECT_EQ(now->find_in_process("attention", "a.B")->user, &user);
  EXPECT_EQ(now->find_in_process("mamba", "a.B"), nullptr);
  table.set_in_process({"attention", "a.B"}, {});
  EXPECT_EQ(table.current()->find_in_process("attention", "a.B"), nullptr);
}

}  // namespace
}  // namespace bkr::core
