// SPDX-License-Identifier: Apache-2.0
// reshard: all ways of an array from one sharding to another, and which one who takes.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/array_options.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/output/output.h"
#include "app/cli/output/progress_line.h"
#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/session/routes/reshard.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

struct ReshardOptions : ArrayOptions {
  std::string from, to;
  int most = 8, threads = 0;
  bool json = false;
};

Json to_json(const PricedRoute& route) {
  Json steps = Json::array();
  for (const RouteStep& step : route.steps) {
    steps.push_back({{"opcode", step.opcode},
                     {"axes", step.axes},
                     {"bytes", step.bytes},
                     {"time_s", to_seconds(step.time)},
                     {"sharding", step.sharding.empty() ? Json(nullptr) : Json(step.sharding)}});
  }
  Json out = {{"steps", steps}, {"bytes", route.bytes}, {"time_s", to_seconds(route.time)}};
  out["proved"] = route.proved;
  if (!route.unproved.empty()) out["unproved"] = route.unproved;
  return out;
}

std::string json_of(const ReshardQuestion& q, const Resharded& made) {
  Json routes = Json::array();
  for (const PricedRoute& route : made.routes) routes.push_back(to_json(route));
  Json out = {{"from", split_text(q.from.split, q.mesh, q.from.combining)},
              {"to", split_text(q.to.split, q.mesh, q.to.combining)},
              {"shape", q.shape.dims},
              {"dtype", name(q.shape.type)},
              {"mesh", q.mesh.text()},
              {"hardware", q.hardware.name},
              {"routes", routes}};
  Json why = Json::object();
  const auto add = [&](const char* who, const OthersRoute& other) {
    out[who] = other.route ? to_json(*other.route) : Json(nullptr);
    if (!other.route) why[who] = other.why;
  };
  add("xla", made.xla);
  add("shardy", made.shardy);
  add("dtensor", made.dtensor);
  out["why_not"] = why;
  out["searched"] = {{"parts", made.parts}, {"shardings", made.splits}, {"steps", made.steps}};
  return out.dump(2) + "\n";
}

std::string line_of(const std::string& who, const PricedRoute& route, const PricedRoute* best) {
  std::string out =
      fmt::format("{:<8} {:>10} {:>10}", who, format_picoseconds(route.time), format_bytes(route.bytes));
  if (best != nullptr && route.time > best->time && best->time > 0)
    out +=
        fmt::format("  {:.2f}x the best", static_cast<double>(route.time) / static_cast<double>(best->time));
  out += route.proved ? "  proved\n" : "  NOT proved: " + route.unproved + "\n";
  for (const RouteStep& step : route.steps) {
    out += fmt::format("  {}{}", step.opcode, step.axes.empty() ? "" : " over " + join(step.axes, ", "));
    if (step.time > 0)
      out += fmt::format(", {}, {}", format_bytes(step.bytes), format_picoseconds(step.time));
    if (!step.sharding.empty()) out += ", to " + step.sharding;
    out += "\n";
  }
  return out;
}

std::string text_of(const ReshardQuestion& q, const Resharded& made) {
  std::string out =
      fmt::format("{} from {} to {} on mesh {}, {}\n", q.shape.text_without_layout(),
                  split_text(q.from.split, q.mesh, q.from.combining),
                  split_text(q.to.split, q.mesh, q.to.combining), q.mesh.text(), q.hardware.name);
  out += "time: of the collectives, one after the other; bytes: that a device sends, the mean\n\n";
  const PricedRoute* best = made.routes.empty() ? nullptr : &made.routes.front();
  for (size_t k = 0; k < made.routes.size(); ++k)
    out += line_of(fmt::format("{}.", k + 1), made.routes[k], k == 0 ? nullptr : best);
  out += "\n";
  const auto add = [&](const char* who, const OthersRoute& other) {
    out += other.route ? line_of(who, *other.route, best) : fmt::format("{:<8} none: {}\n", who, other.why);
  };
  add("XLA", made.xla);
  add("Shardy", made.shardy);
  add("DTensor", made.dtensor);
  out += fmt::format("\nsearched {} and {} between them; axes in parts: {}\n",
                     counted(made.splits, "sharding"), counted(made.steps, "step"), join(made.parts, ", "));
  return out;
}

Result<SplitText> read_split(const std::string& text, const ReshardQuestion& q, const char* option) {
  const Result<SplitText> read = parse_axis_split(text, q.mesh, q.shape.rank());
  if (!read.ok()) return placed(read.error(), option);
  return *read;
}

Result<int> run(const ReshardOptions& options, const std::stop_token& stop) {
  ReshardQuestion q;
  TRY(q.mesh, mesh_of(options));
  TRY(q.shape, shape_of(options));
  TRY(q.from, read_split(options.from, q, "--from"));
  TRY(q.to, read_split(options.to, q, "--to"));
  TRY(q.hardware, typed_hardware(options.fields));
  q.most = static_cast<size_t>(options.most);
  const ProgressLine line(!options.json);
  q.progress = line.shower();
  const Result<Resharded> outcome = reshard(q, Workers(options.threads), stop);
  line.clear();
  if (!outcome.ok()) return outcome.error();
  const Resharded& made = *outcome;
  TRY_VOID(print_text(options.json ? json_of(q, made) : text_of(q, made)));
  bool proved = true;
  for (const PricedRoute& route : made.routes) proved = proved && route.proved;
  return proved ? kExitDone : kExitWrongNumbers;
}

}  // namespace

Command add_reshard_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "reshard", "Find the cheapest ways from one sharding of an array to another, beside XLA's and others'");
  auto options = std::make_shared<ReshardOptions>();
  add_array_options(*command, *options);
  command
      ->add_option("--from", options->from,
                   "Sharding before, as in \"P('x',None)\", \"P('y:(1)2')\" or \"P(None, unreduced={'x'})\"")
      ->required();
  command->add_option("--to", options->to, "Sharding behind, in the same form")->required();
  add_field_option(*command, *find_field("hardware"), options->fields);
  command->add_option("--most", options->most, "Routes that are shown (default: 8)")
      ->check(CLI::Range(1, 100));
  add_threads(*command, options->threads);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token stop) { return run(*options, stop); };
}

}  // namespace shardscope::inline cli
