// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace shardscope::inline request {

// CheckOptions::reference of a quick check: no reference is computed, but Y·r compared with X·(W·r) for some
// vectors r (R. Freivalds, "Probabilistic machines can use less running time", 1977).
inline constexpr const char* kQuickReference = "quick";
// What its report says that results were compared with.
inline constexpr const char* kQuickProduct = "X·(W·r)";

}  // namespace shardscope::inline request
