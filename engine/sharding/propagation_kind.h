// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace shardscope::inline sharding {

// Who spreads shardings to the arrays that have none: XLA's propagation, which knows tiles, or Shardy's,
// which knows the mesh's axes and each operation's factors.
enum class Propagation : uint8_t { gspmd, shardy };
inline constexpr std::array kPropagations{Propagation::gspmd, Propagation::shardy};
const char* name(Propagation propagation);

// Who makes one device's program: XLA's partitioner, which goes from tiles to tiles operation by operation,
// or Shardy's, which puts reshards between operations first and takes them apart into collectives.
enum class Partitioner : uint8_t { spmd, shardy };
inline constexpr std::array kPartitioners{Partitioner::spmd, Partitioner::shardy};
const char* name(Partitioner partitioner);

// What becomes of a module's results that have no sharding: they stay as propagation leaves them, or are
// gathered on every device.
enum class Results : uint8_t { free, replicated };
inline constexpr std::array kResults{Results::free, Results::replicated};
const char* name(Results results);

}  // namespace shardscope::inline sharding
