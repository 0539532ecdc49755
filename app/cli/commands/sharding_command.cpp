// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/cli/commands/commands.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/output/output.h"
#include "engine/base/element_type.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/sharding/hlo_sharding.h"
#include "engine/sharding/visualise.h"

namespace shardscope {
namespace {

using Json = nlohmann::ordered_json;

struct ShardingOptions {
  std::string mesh, shape, spec, hlo;
  std::string dtype = "f32";
  std::map<std::string, std::string, std::less<>> fields;  // --device-order
  bool json = false;
};

Result<std::vector<int64_t>> parse_shape(const std::string& text) {
  std::vector<int64_t> dims;
  int64_t elements = 1;
  for (const std::string& part : split(trim(text), ',')) {
    const auto size = parse_int(trim(part));
    if (!size || *size < 1) {
      return invalid(fmt::format("'{}' is not a dimension, expected a positive whole number", trim(part)),
                     "--shape", "write it as in 16,4");
    }
    const auto product = checked_multiply(elements, *size);
    if (!product || *product > (int64_t{1} << 59))
      return invalid("the array has too many elements", "--shape");
    elements = *product;
    dims.push_back(*size);
  }
  return dims;
}

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
    return invalid(fmt::format("the sharding names {} devices, the mesh has {}", sharding.device_count(),
                               mesh.device_count()),
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
  return fmt::format("{}\n{}{}shard {} · {} a device · {} replica{}\n", d.picture,
                     d.named ? d.named->spec().text() + "  " : "", d.hlo.text() + "\n",
                     fmt::format("[{}]", fmt::join(d.shard_shape, ",")),
                     format_bytes(static_cast<double>(bytes)), d.replicas, d.replicas == 1 ? "" : "s");
}

Result<int> run(const ShardingOptions& options) {
  Experiment asked;
  TRY(asked.mesh, Mesh::parse(options.mesh));
  for (const auto& [key, text] : options.fields) {
    if (const auto fine = put(*find_field(key), asked, text); !fine.ok())
      return placed(fine.error(), "--" + key);
  }
  const Mesh& mesh = asked.mesh;
  TRY(const std::vector<int64_t> shape, parse_shape(options.shape));
  const auto type = parse_element_type(options.dtype);
  if (!type) return invalid(fmt::format("unknown type '{}'", options.dtype), "--dtype");
  if (options.spec.empty() == options.hlo.empty())
    return invalid("expected one of --spec and --hlo", "sharding");
  TRY(const Described described, options.hlo.empty() ? describe_spec(mesh, options.spec, shape)
                                                     : describe_hlo(mesh, options.hlo, shape));
  const int64_t elements = std::accumulate(described.shard_shape.begin(), described.shard_shape.end(),
                                           int64_t{1}, std::multiplies<>());
  const int64_t bytes = byte_size(*type, elements);
  TRY_VOID(write_output(options.json ? to_json(mesh, described, bytes) : to_text(described, bytes), ""));
  return kExitDone;
}

}  // namespace

Command add_sharding_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("sharding", "Show which device has which part of an array");
  auto options = std::make_shared<ShardingOptions>();
  command->add_option("--mesh", options->mesh, "Mesh axes, as in a=4,b=2")->required();
  add_field_option(*command, *find_field("device-order"), options->fields);
  command->add_option("--shape", options->shape, "Global array shape, as in 16,4")->required();
  command->add_option("--spec", options->spec, "PartitionSpec, as in \"P('a',None)\"");
  command->add_option("--hlo", options->hlo,
                      "XLA sharding, as in \"{devices=[4,1,2]<=[8] last_tile_dim_replicate}\"");
  command->add_option("--dtype", options->dtype, "Element type, for the bytes (default f32)");
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token) { return run(*options); };
}

}  // namespace shardscope
