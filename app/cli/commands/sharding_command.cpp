// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/cli/commands/commands.h"
#include "app/cli/options/array_options.h"
#include "app/cli/output/output.h"
#include "engine/base/element_type.h"
#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/request/fields.h"
#include "engine/sharding/hlo_sharding.h"
#include "engine/sharding/visualise.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

struct ShardingOptions : ArrayOptions {
  std::string spec, hlo;
  bool json = false;
};

// What both forms of a sharding have in common, ready to print.
struct Described {
  HloSharding hlo;
  std::optional<NamedSharding> named;
  std::vector<int64_t> shard_shape;
  int64_t replicas = 1;
  std::string picture;
  std::function<IndexBox(DeviceId)> slices;
};

Result<Described> describe_spec(const Mesh& mesh, const std::string& text,
                                const std::vector<int64_t>& shape) {
  const Result<PartitionSpec> spec = PartitionSpec::parse(text);
  if (!spec.ok()) return placed(spec.error(), "--spec");
  const Result<NamedSharding> made = NamedSharding::make(mesh, *spec);
  if (!made.ok()) return placed(made.error(), "--spec");
  const NamedSharding& sharding = *made;
  const Result<std::vector<int64_t>> shard = sharding.shard_shape(shape);
  if (!shard.ok()) return placed(shard.error(), "--spec");
  return Described{HloSharding::from(sharding, shape.size()),
                   sharding,
                   *shard,
                   sharding.replicas(),
                   visualise(sharding, shape),
                   [sharding, shape](DeviceId d) { return sharding.slices(d, shape); }};
}

Result<Described> describe_hlo(const Mesh& mesh, const std::string& text, const std::vector<int64_t>& shape) {
  const Result<HloSharding> parsed = HloSharding::parse(text);
  if (!parsed.ok()) return placed(parsed.error(), "--hlo");
  const HloSharding& sharding = *parsed;
  const Result<void> fits = sharding.accepts(shape);
  if (!fits.ok()) return placed(fits.error(), "--hlo");
  if (sharding.device_count() > 0 && sharding.kind == HloSharding::Kind::tiled &&
      sharding.device_count() != mesh.device_count()) {
    return invalid(fmt::format("the sharding names {}, the mesh has {}",
                               counted(sharding.device_count(), "device"), mesh.device_count()),
                   "--hlo");
  }
  Described out;
  out.hlo = sharding;
  const Result<NamedSharding> named = sharding.to_named(mesh);
  if (named.ok()) out.named = *named;
  out.shard_shape = sharding.tile_shape(shape);
  int64_t tiles = 1;
  for (size_t d = 0; d < sharding.data_rank(); ++d) tiles *= sharding.tiles.dims[d];
  out.replicas = sharding.kind == HloSharding::Kind::maximal ? 1 : mesh.device_count() / tiles;
  out.picture = visualise(sharding, shape, mesh.device_count());
  out.slices = [sharding, shape](DeviceId d) { return sharding.slices(d, shape); };
  return out;
}

Json slices_json(const IndexBox& box) {
  Json out = Json::array();
  for (const IndexRange& r : box) out.push_back({r.start, r.stop});
  return out;
}

std::string to_json(const Mesh& mesh, const Described& d, int64_t bytes) {
  Json shards = Json::array();
  for (int64_t i = 0; i < mesh.device_count(); ++i) {
    const DeviceId device(i);
    shards.push_back(
        {{"device", i}, {"coords", mesh.coordinates(device)}, {"slices", slices_json(d.slices(device))}});
    if (!mesh.device_order().empty()) shards.back()["chip"] = mesh.chip_of(device);
  }
  Json out = {{"hlo_sharding", d.hlo.text()},
              {"shard_shape", d.shard_shape},
              {"bytes_per_device", bytes},
              {"shards", shards},
              {"replicas", d.replicas}};
  out["spec"] = d.named ? Json(d.named->spec().text()) : Json(nullptr);
  return out.dump(2) + "\n";
}

std::string to_text(const Described& d, int64_t bytes) {
  return fmt::format("{}\n{}{}shard {} · {} a device · {}\n", d.picture,
                     d.named ? d.named->spec().text() + "  " : "", d.hlo.text() + "\n",
                     fmt::format("[{}]", fmt::join(d.shard_shape, ",")),
                     format_bytes(static_cast<double>(bytes)), counted(d.replicas, "replica"));
}

Result<int> run(const ShardingOptions& options) {
  TRY(const Mesh mesh, mesh_of(options));
  TRY(const Shape array, shape_of(options));
  const std::vector<int64_t>& shape = array.dims;
  if (options.spec.empty() == options.hlo.empty())
    return invalid("expected one of --spec and --hlo", "sharding");
  TRY(const Described described, options.hlo.empty() ? describe_spec(mesh, options.spec, shape)
                                                     : describe_hlo(mesh, options.hlo, shape));
  const int64_t elements = std::accumulate(described.shard_shape.begin(), described.shard_shape.end(),
                                           int64_t{1}, std::multiplies<>());
  const int64_t bytes = byte_size(array.type, elements);
  TRY_VOID(write_output(options.json ? to_json(mesh, described, bytes) : to_text(described, bytes), ""));
  return kExitDone;
}

}  // namespace

Command add_sharding_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("sharding", "Show which device has which part of an array");
  auto options = std::make_shared<ShardingOptions>();
  add_array_options(*command, *options);
  command->add_option("--spec", options->spec, "PartitionSpec, as in \"P('a',None)\"");
  command->add_option("--hlo", options->hlo,
                      "XLA sharding, as in \"{devices=[4,1,2]<=[8] last_tile_dim_replicate}\"");
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token) { return run(*options); };
}

}  // namespace shardscope::inline cli
