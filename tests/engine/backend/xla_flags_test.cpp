// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/xla_flags.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace shardscope::xla_flags_test {
namespace {

TEST(XlaFlags, EachIsReadAsItIsShown) {
  XlaFlags flags;
  for (const XlaFlagRow& row : xla_flag_rows(flags)) {
    EXPECT_EQ(row.value, row.unsaid);
    EXPECT_FALSE(row.what.empty()) << row.name;
    const bool truth = row.value == "true" || row.value == "false";
    const std::string other = truth ? (row.value == "true" ? "false" : "true") : "12345";
    const auto put = put_xla_flag(row.name + "=" + other, flags);
    ASSERT_TRUE(put.ok()) << put.error().text();
    const auto rows = xla_flag_rows(flags);
    const auto same = std::ranges::find(rows, row.name, &XlaFlagRow::name);
    EXPECT_EQ(same->value, other) << row.name;
  }
}

TEST(XlaFlags, AreTypedAsInXlaFlags) {
  XlaFlags flags;
  EXPECT_TRUE(put_xla_flag("--xla_gpu_enable_latency_hiding_scheduler=True", flags).ok());
  EXPECT_TRUE(flags.latency_hiding_scheduler);
  EXPECT_TRUE(put_xla_flag("xla_gpu_all_reduce_combine_threshold_bytes=0", flags).ok());
  EXPECT_EQ(flags.all_reduce_combine_bytes, 0);
}

TEST(XlaFlags, AnUnknownOneNamesTheKnown) {
  XlaFlags flags;
  const auto unknown = put_xla_flag("xla_gpu_make_it_fast=true", flags);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().text().find("'xla_gpu_make_it_fast' is no flag that is known here"),
            std::string::npos);
  for (const XlaFlagRow& row : xla_flag_rows(flags))
    EXPECT_NE(unknown.error().text().find(row.name), std::string::npos) << row.name;
  EXPECT_FALSE(put_xla_flag("xla_gpu_enable_latency_hiding_scheduler", flags).ok());
  EXPECT_FALSE(put_xla_flag("xla_gpu_enable_latency_hiding_scheduler=perhaps", flags).ok());
  EXPECT_FALSE(put_xla_flag("xla_gpu_all_reduce_combine_threshold_bytes=30MiB", flags).ok());
  EXPECT_FALSE(put_xla_flag("xla_gpu_experimental_parallel_collective_overlap_limit=0", flags).ok());
  EXPECT_EQ(flags, XlaFlags());
}

}  // namespace
}  // namespace shardscope::xla_flags_test
