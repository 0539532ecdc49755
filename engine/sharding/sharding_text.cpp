// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/sharding_text.h"

#include <algorithm>
#include <optional>

#include "engine/base/text.h"

namespace shardscope::inline sharding {
namespace {

std::vector<std::string> quoted(const std::vector<std::string>& axes) {
  std::vector<std::string> out;
  for (const std::string& axis : axes) out.push_back("'" + axis + "'");
  return out;
}

std::optional<NamedSharding> on_mesh(const HloSharding& sharding, const Mesh& mesh) {
  const int64_t devices = sharding.device_count();
  if (devices != 0 && devices != mesh.device_count()) return std::nullopt;
  auto named = sharding.to_named(mesh);
  return named.ok() ? std::optional(*std::move(named)) : std::nullopt;
}

}  // namespace

std::string spec_text(const PartitionSpec& spec, size_t rank, const std::vector<std::string>& unreduced) {
  std::vector<std::string> parts(std::max(rank, spec.dims.size()), "None");
  for (size_t d = 0; d < spec.dims.size(); ++d) {
    const std::vector<std::string> axes = quoted(spec.dims[d]);
    if (axes.size() == 1) parts[d] = axes.front();
    if (axes.size() > 1) parts[d] = "(" + join(axes, ", ") + ")";
  }
  if (!unreduced.empty()) parts.push_back("unreduced={" + join(quoted(unreduced), ", ") + "}");
  return "P(" + join(parts, ", ") + ")";
}

std::string spec_text(const HloSharding& sharding, const Mesh& mesh, size_t rank,
                      const std::vector<std::string>& unreduced) {
  const auto named = on_mesh(sharding, mesh);
  if (!named) return "";
  std::vector<std::string> partial = named->unreduced();
  partial.insert(partial.end(), unreduced.begin(), unreduced.end());
  return spec_text(named->spec(), rank, partial);
}

std::string sharding_text(const HloSharding& sharding, const Mesh& mesh, size_t rank) {
  const auto named = on_mesh(sharding, mesh);
  if (!named) return sharding.text();
  return with_partial(spec_text(named->spec(), rank), "partial sums", named->unreduced());
}

std::string with_partial(std::string sharding, std::string_view what, const std::vector<std::string>& axes) {
  if (axes.empty()) return sharding;
  return sharding.append(" with ").append(what).append(" over ") + join(axes, " and ");
}

}  // namespace shardscope::inline sharding
