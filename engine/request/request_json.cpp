// SPDX-License-Identifier: Apache-2.0
#include "engine/request/request_json.h"

#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/request/fields.h"

namespace shardscope::inline request {
namespace {

using Json = nlohmann::ordered_json;

Json json_value(const Field& field, const std::string& text) {
  switch (field.spelling) {
    case Spelling::flag:
      return text == "on";
    case Spelling::count:
    case Spelling::number:
    case Spelling::list:
      return Json::parse(text);
    case Spelling::text:
    case Spelling::pairs:
      return text;
  }
  return nullptr;
}

std::string text_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void set(Json& out, const Field& field, const std::string& text) {
  if (!text.empty()) out[field.file] = json_value(field, text);
}

Json run_json(const RunRequest& run) {
  Json out = Json::object();
  for (const Field& field : fields()) {
    if (field.run) set(out, field, field.run->print(run));
  }
  return out;
}

template <class Owner>
Result<void> read_fields(const Json& json, std::optional<Access<Owner>> Field::*access, Owner& out) {
  for (const Field& field : fields()) {
    const auto found = json.find(field.file);
    if (!(field.*access) || found == json.end()) continue;
    TRY_VOID((field.*access)->parse(out, text_of(*found)));
  }
  return {};
}

}  // namespace

Json request_json(const Request& request) {
  Experiment resolved = request.experiment;
  resolved.mesh = request.mesh;
  resolved.chip_wraps = false;
  resolved.problem = request.problem;
  resolved.collective = request.collective;
  Json out = Json::object();
  out["strategy"] = request.strategy;
  for (const Field& field : fields()) {
    if (field.experiment) set(out, field, field.experiment->print(resolved));
    if (field.scope == Scope::run && field.key != "strategy")
      set(out, field, field.run->print(request.asked));
  }
  return out;
}

std::string request_parts_text(const Experiment& experiment, const RunRequest& run) {
  Json all = Json::object();
  for (const Field& field : fields()) {
    if (field.experiment) set(all, field, field.experiment->print(experiment));
  }
  all["runs"] = Json::array();
  for (const RunRequest& each : experiment.runs) all["runs"].push_back(run_json(each));
  const Json out = {{"experiment", all}, {"run", run_json(run)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<RequestParts> parse_request_parts(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("experiment") || !json.contains("run"))
    return invalid("a request is not a JSON object of an experiment and a run");
  RequestParts out;
  const Json& all = json["experiment"];
  if (!all.is_object() || !json["run"].is_object()) return invalid("a request's parts are no JSON objects");
  TRY_VOID(read_fields(all, &Field::experiment, out.experiment));
  for (const Json& run : all.value("runs", Json::array())) {
    if (!run.is_object()) return invalid("a request's run is not a JSON object");
    TRY_VOID(read_fields(run, &Field::run, out.experiment.runs.emplace_back()));
  }
  TRY_VOID(read_fields(json["run"], &Field::run, out.run));
  return out;
}

}  // namespace shardscope::inline request
