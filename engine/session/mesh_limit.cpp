// SPDX-License-Identifier: Apache-2.0
#include "engine/session/mesh_limit.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/machine/memory_limit.h"
#include "engine/base/units.h"

namespace shardscope::inline session {
namespace {

constexpr double kBytesPerDevice = 20e3;   // its part of the program's groups, totals and memory
constexpr double kBytesPerTransfer = 750;  // its events, and what the scheduler knows of them
constexpr double kAlwaysThere = 8e6;       // less than the program has for itself: the machine is not asked

double bytes_for(double devices, double longest) {
  return devices * (kBytesPerDevice + kBytesPerTransfer * longest);
}

}  // namespace

double bytes_for_runs_on(const Mesh& mesh) {
  int64_t longest = 1;
  for (const MeshAxis& axis : mesh.axes()) longest = std::max(longest, axis.size);
  return bytes_for(static_cast<double>(mesh.device_count()), static_cast<double>(longest));
}

Result<void> check_size_of(const Mesh& mesh) {
  if (bytes_for_runs_on(mesh) <= kAlwaysThere) return {};
  return check_size_of(mesh, static_cast<double>(available_memory()));
}

Result<void> check_size_of(const Mesh& mesh, double free_bytes) {
  if (bytes_for_runs_on(mesh) <= free_bytes) return {};
  const auto longest = std::ranges::max_element(mesh.axes(), {}, &MeshAxis::size);
  const double others = static_cast<double>(mesh.device_count()) / static_cast<double>(longest->size);
  int64_t fits = 1, too_many = longest->size;
  while (too_many - fits > 1) {
    const int64_t middle = fits + (too_many - fits) / 2;
    const auto size = static_cast<double>(middle);
    (bytes_for(others * size, size) <= free_bytes ? fits : too_many) = middle;
  }
  return too_big(
      fmt::format(
          "{} devices are too many for this machine: timing a run of them takes up to {}, {} are free",
          group_digits(mesh.device_count()), format_bytes(bytes_for_runs_on(mesh)), format_bytes(free_bytes)),
      "mesh", fmt::format("make {} {} or smaller", longest->name, group_digits(fits)));
}

}  // namespace shardscope::inline session
