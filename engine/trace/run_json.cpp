// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/run_json.h"

#include <cmath>

namespace shardscope::inline trace {
namespace {
using Json = nlohmann::json;
}

Json mesh_json(const Mesh& mesh) {
  Json axes = Json::array();
  for (const MeshAxis& axis : mesh.axes())
    axes.push_back({{"name", axis.name}, {"size", axis.size}, {"wrap", axis.wrap}});
  return {{"axes", axes}, {"device_order", mesh.device_order()}};
}

Result<Mesh> mesh_of(const Json& json) {
  std::vector<MeshAxis> axes;
  for (const Json& axis : json.at("axes"))
    axes.push_back({axis.at("name"), axis.at("size"), axis.at("wrap")});
  return Mesh::make(std::move(axes), json.at("device_order").get<std::vector<int32_t>>());
}

Json mesh_json(const Mesh& mesh, const HardwareOverrides& overrides) {
  Json json = mesh_json(mesh);
  for (const DeviceOverride& it : overrides.devices) json["slow_devices"].push_back(text(it));
  for (const LinkOverride& it : overrides.links) json["slow_links"].push_back(text(it));
  return json;
}

Json options_json(const StrategyOptions& options) {
  Json json = Json::object();
  if (!options.axes.empty()) json["axes"] = options.axes;
  if (options.slices) json["slices"] = *options.slices;
  if (options.block) json["block"] = *options.block;
  if (options.prefetch) json["prefetch"] = *options.prefetch;
  if (options.experts) json["experts"] = *options.experts;
  const auto set_spec = [&](const char* key, const std::optional<PartitionSpec>& spec) {
    if (spec) json[key] = spec->dims;
  };
  set_spec("in_lhs", options.in_lhs);
  set_spec("in_rhs", options.in_rhs);
  set_spec("out", options.out);
  return json;
}

Json lanes_json(const std::vector<Lane>& lanes) {
  Json json = Json::array();
  for (const Lane& lane : lanes)
    json.push_back({{"kind", static_cast<int>(lane.kind)},
                    {"axis", lane.axis},
                    {"direction", lane.direction},
                    {"name", lane.name}});
  return json;
}

std::vector<Lane> lanes_of(const Json& json) {
  std::vector<Lane> lanes;
  for (const Json& lane : json)
    lanes.push_back({static_cast<LaneKind>(lane.at("kind").get<int>()), lane.at("axis"), lane.at("direction"),
                     lane.at("name")});
  return lanes;
}

Json collectives_json(const std::vector<CollectiveSummary>& collectives) {
  Json json = Json::array();
  for (const CollectiveSummary& c : collectives)
    json.push_back({{"opcode", c.opcode},
                    {"axis", c.axis},
                    {"count", c.count},
                    {"steps", c.steps},
                    {"algorithm", c.algorithm},
                    {"bytes_sent_per_device", c.bytes_sent_per_device},
                    {"why", c.why}});
  return json;
}

std::vector<CollectiveSummary> collectives_of(const Json& json) {
  std::vector<CollectiveSummary> collectives;
  for (const Json& c : json)
    collectives.push_back({c.at("opcode"), c.at("axis"), c.at("count"), c.at("steps"), c.at("algorithm"),
                           c.at("bytes_sent_per_device"), c.value("why", "")});
  return collectives;
}

namespace {

// JSON writes what is not finite as null.
double real_of(const Json& json) {
  return json.is_number() ? json.get<double>() : std::nan("");
}

Json norms_json(const ErrorNorms& n) {
  return {n.rel_frobenius, n.rms, n.max_abs};
}
ErrorNorms norms_of(const Json& json) {
  return {real_of(json.at(0)), real_of(json.at(1)), real_of(json.at(2))};
}

}  // namespace

Json exact_json(const ExactComparison& exact) {
  return {{"result", norms_json(exact.result)},
          {"reference", norms_json(exact.reference)},
          {"index", exact.index},
          {"values", {exact.value, exact.reference_value, exact.exact_value}},
          {"partials", exact.partials},
          {"partial_type", exact.partial_type ? name(*exact.partial_type) : ""},
          {"of_reference", exact.of_reference},
          {"explanation", exact.explanation}};
}

ExactComparison exact_of(const Json& json) {
  ExactComparison exact;
  exact.result = norms_of(json.at("result"));
  exact.reference = norms_of(json.at("reference"));
  exact.index = json.at("index").get<std::vector<int64_t>>();
  exact.value = real_of(json.at("values").at(0));
  exact.reference_value = real_of(json.at("values").at(1));
  exact.exact_value = real_of(json.at("values").at(2));
  for (const Json& partial : json.at("partials")) exact.partials.push_back(real_of(partial));
  exact.partial_type = parse_element_type(json.value("partial_type", ""));
  exact.of_reference = json.value("of_reference", false);
  exact.explanation = json.at("explanation");
  return exact;
}

Json price_json(const Price& price) {
  Json legs = Json::array();
  for (const PriceLeg& leg : price.legs)
    legs.push_back({{"array", leg.array}, {"after", leg.is_result}, {"verb", leg.verb}, {"time", leg.time}});
  return legs;
}

Price price_of(const Json& json) {
  Price out;
  for (const Json& leg : json)
    out.legs.push_back({leg.at("array"), leg.at("after"), leg.at("verb"), leg.at("time")});
  return out;
}

namespace {

Json placed_json(const std::vector<PlacedArray>& arrays) {
  Json out = Json::array();
  for (const PlacedArray& array : arrays) out.push_back({array.name, array.sharding});
  return out;
}

std::vector<PlacedArray> placed_of(const Json& json) {
  std::vector<PlacedArray> out;
  for (const Json& array : json) out.push_back({array.at(0), array.at(1)});
  return out;
}

}  // namespace

Json module_json(const ModuleFace& module) {
  return {{"signature", module.signature},
          {"inputs", placed_json(module.ends.inputs)},
          {"outputs", placed_json(module.ends.outputs)},
          {"warnings", module.warnings}};
}

ModuleFace module_of(const Json& json) {
  return {json.at("signature"),
          {placed_of(json.at("inputs")), placed_of(json.at("outputs"))},
          json.value("warnings", std::vector<std::string>())};
}

}  // namespace shardscope::inline trace
