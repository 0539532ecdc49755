// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/predict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace shardscope::predict_test {
namespace {

Hardware chip_with_rows() {
  Hardware chip = find_hardware("h100").value();
  chip.link.ops.clear();
  chip.calibration.reset();
  chip.node_devices.reset();
  for (const auto kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                          CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::permute})
    chip.link.ops.push_back({name(kind), std::nullopt, 9e-6, 1.7e-6, 333e9, LinkOp::Ramp{3e-10, 0.6}, false});
  chip.link.ops.push_back({"all-reduce", 8, 11e-6, 0.9e-6, 250e9, std::nullopt, true});
  return chip;
}

MeasuredPoint point_of(CollectiveKind kind, int64_t group, int64_t bytes) {
  MeasuredPoint point;
  point.op = name(kind);
  point.kind = PointKind::collective;
  point.collective = kind;
  point.devices = point.group = group;
  point.bytes = bytes;
  return point;
}

TEST(Predict, a_row_gives_the_time_that_the_scheduler_takes) {
  const Hardware chip = chip_with_rows();
  for (const auto kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                          CollectiveKind::all_reduce, CollectiveKind::all_to_all, CollectiveKind::permute}) {
    for (const int64_t group : {2, 4, 8, 18}) {
      for (const int64_t bytes : {int64_t{144}, int64_t{72} << 10, int64_t{144} << 20}) {
        const MeasuredPoint point = point_of(kind, group, bytes);
        const double closed = predicted_seconds(chip, point).value();
        // A message's time rounds up to a picosecond.
        EXPECT_NEAR(scheduled_seconds(chip, point).value(), closed,
                    1e-12 * static_cast<double>(2 * group + 2))
            << point.op << " " << group << " " << bytes;
      }
    }
  }
}

TEST(Predict, permutes_in_parts_go_by_their_pattern) {
  const Hardware chip = find_hardware("h100").value();
  MeasuredPoint point = point_of(CollectiveKind::permute, 8, 64 << 20);
  const LinkOp::Parts& parts = *link_op(chip, "collective-permute", 8)->parts;
  const double launch = *link_op(chip, "collective-permute", 8)->launch_s + parts.launch_s;
  point.op = "collective-permute ring shift";
  EXPECT_NEAR(predicted_seconds(chip, point).value(), launch + (64 << 20) / (4 * parts.bytes_per_s), 1e-9);
  EXPECT_NEAR(scheduled_seconds(chip, point).value(), predicted_seconds(chip, point).value(), 2e-12);
  point.op = "collective-permute pair swap";
  EXPECT_NEAR(predicted_seconds(chip, point).value(), launch + (64 << 20) / (4 * *parts.one_peer_bytes_per_s),
              1e-9);
}

TEST(Predict, exchanges_in_parts_are_what_the_scheduler_takes) {
  Hardware chip = find_hardware("gb200").value();
  chip.calibration.reset();
  for (const int64_t group : {4, 16, 36, 64}) {
    for (const int64_t bytes : {int64_t{144} << 10, int64_t{144} << 16, int64_t{144} << 22}) {
      const MeasuredPoint point = point_of(CollectiveKind::all_to_all, group, bytes);
      EXPECT_NEAR(scheduled_seconds(chip, point).value(), predicted_seconds(chip, point).value(), 2e-10)
          << group << ' ' << bytes;
    }
  }
}

TEST(Predict, without_a_row_the_schedule_that_is_chosen_is_played) {
  Hardware chip = chip_with_rows();
  chip.link.ops.clear();
  const MeasuredPoint point = point_of(CollectiveKind::permute, 8, 450 << 20);
  EXPECT_NEAR(predicted_seconds(chip, point).value(),
              chip.link.launch_overhead_s + *chip.link.latency_s +
                  static_cast<double>(point.bytes) / (*chip.link.bytes_per_s * chip.link.efficiency),
              1e-11);
}

TEST(Predict, a_product_and_elementwise_work_take_what_the_chip_says) {
  const Hardware chip = chip_with_rows();
  MeasuredPoint product;
  product.kind = PointKind::product;
  product.size = {2, 64, 128, 256};
  product.dtype = ElementType::bf16;
  const double bytes = 2 * 2 * (64 * 128 + 128 * 256 + 64 * 256);
  EXPECT_NEAR(
      predicted_seconds(chip, product).value(),
      bytes / (*chip.memory.hbm_bytes_per_s * chip.memory.hbm_efficiency) + chip.compute.launch_overhead_s,
      2e-12);
  MeasuredPoint gelu;
  gelu.kind = PointKind::elementwise;
  gelu.bytes = 1 << 26;
  EXPECT_NEAR(predicted_seconds(chip, gelu).value(),
              (1 << 26) / (*chip.memory.hbm_bytes_per_s * chip.memory.hbm_efficiency) +
                  chip.compute.elementwise_launch_s,
              2e-12);
}

TEST(Predict, an_operation_without_a_rule_is_an_error) {
  MeasuredPoint point;
  point.id = "p7";
  point.op = "fft";
  EXPECT_EQ(predicted_seconds(chip_with_rows(), point).error().text(), "no cost rule for 'fft'; p7");
}

// NCCL 2.24.3 on 4 nodes of 8 H100 with a card of 400 Gb/s each had 330.9 GB/s of bus bandwidth for 8 GiB.
TEST(Predict, collectives_of_several_nodes_take_the_network_as_programs_do) {
  const Hardware chip = find_hardware("h100").value();
  const MeasuredPoint sum = point_of(CollectiveKind::all_reduce, 32, int64_t{8} << 30);
  const double seconds = predicted_seconds(chip, sum).value();
  EXPECT_NEAR(2 * 31.0 / 32 * static_cast<double>(sum.bytes) / seconds, 330.9e9, 0.05 * 330.9e9);
  for (const int64_t group : {16, 32}) {
    for (const auto kind :
         {CollectiveKind::all_gather, CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
      const MeasuredPoint point = point_of(kind, group, 64 << 20);
      EXPECT_TRUE(spans_nodes(chip, point));
      EXPECT_EQ(row_for(chip, point), nullptr);
      EXPECT_EQ(predicted_seconds(chip, point).value(), scheduled_seconds(chip, point).value());
    }
  }
  EXPECT_FALSE(spans_nodes(chip, point_of(CollectiveKind::all_gather, 8, 1 << 20)));
  EXPECT_FALSE(
      spans_nodes(find_hardware("gb200").value(), point_of(CollectiveKind::all_gather, 72, 1 << 20)));
}

// MeshSlice's formula for its slice of TPU v4: 13 µs + 3 · (a shard / 27.472 GB/s + 5 µs).
TEST(Predict, points_that_say_their_axis_go_by_its_row) {
  const Hardware chip = find_hardware("tpu-v4").value();
  MeasuredPoint point = point_of(CollectiveKind::all_gather, 4, 4 << 20);
  const double by_links = predicted_seconds(chip, point).value();
  point.axis = 0;
  EXPECT_NEAR(predicted_seconds(chip, point).value(), 13e-6 + 3 * ((1 << 20) / 27.472e9 + 5e-6), 1e-9);
  point.axis = 2;
  EXPECT_EQ(predicted_seconds(chip, point).value(), by_links) << "no row";
}

// The JAX scaling book: bf16[2048,8192] along an axis of 4 of 8x4 v5e, which does not close, in 680 µs. By
// the link's published rate it would be 562.
TEST(Predict, axes_close_to_rings_only_where_the_chip_says_so) {
  const Hardware chip = find_hardware("tpu-v5e").value();
  const MeasuredPoint point = point_of(CollectiveKind::all_gather, 4, 32 << 20);
  EXPECT_NEAR(predicted_seconds(chip, point).value(), 562e-6, 1e-6);
}

}  // namespace
}  // namespace shardscope::predict_test
