// SPDX-License-Identifier: Apache-2.0
// The tuner on sizes whose times are hours.
#include <gtest/gtest.h>

#include "engine/tune/model_file.h"
#include "engine/tune/tune.h"

namespace shardscope::hours_test {
namespace {

TuneRequest request_of(const char* model) {
  TuneRequest request;
  request.model = *parse_model(model, "long.toml");
  request.chips = 4;
  request.step = TuneStep::inference;
  return request;
}

// Of hours a picosecond more is no other number.
TEST(TuneHours, ComeToAnEndToo) {
  const TuneRequest request = request_of(
      "name = \"big\"\nsequence = 4294967296\nbatch = 1\n[[layer]]\nname = \"up\"\ninputs = 262144\noutputs "
      "= 65536\n"
      "[[layer]]\nname = \"down\"\ninputs = 65536\noutputs = 262144\n");
  const auto result = tune(request, {}, {});
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_GT(result->candidates[static_cast<size_t>(result->best)].total_s, 10'000);
}

// Slower ones are for what must fit: where no choice of any mesh may, less memory is looked for only among
// those that are nearly the fastest.
TEST(TuneHours, WhatFitsNowhereIsNotLookedForFarAndWide) {
  const TuneRequest request = request_of(
      "name = \"long\"\nsequence = 2147483648\n[[layer]]\nname = \"up\"\ninputs = 12288\noutputs = 49152\n"
      "[[layer]]\nname = \"down\"\ninputs = 49152\noutputs = 12288\n");
  const auto result = tune(request, {}, {});
  ASSERT_TRUE(result.ok()) << result.error().text();
  const TuneCandidate& best = result->candidates[static_cast<size_t>(result->best)];
  EXPECT_FALSE(best.fits);
  bool smaller = false;
  for (const TuneCandidate& candidate : result->candidates) {
    EXPECT_LE(candidate.total_s, 1.25 * best.total_s) << candidate.mesh.text();
    smaller = smaller || candidate.peak_bytes < best.peak_bytes;
  }
  EXPECT_TRUE(smaller);
}

}  // namespace
}  // namespace shardscope::hours_test
