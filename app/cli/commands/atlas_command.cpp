// SPDX-License-Identifier: Apache-2.0
// atlas: every sharding of one product's three arrays.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "app/cli/output/progress_line.h"
#include "engine/base/csv.h"
#include "engine/base/element_type.h"
#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/session/atlas/atlas.h"
#include "views/draw/paint.h"
#include "views/draw/picture_name.h"
#include "views/scene/charts/atlas.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

struct AtlasOptions {
  std::string mesh, dtype = "f32", csv, picture, size = "1400x900", of = "time", who = "best", result;
  int64_t m = 0, k = 0, n = 0;
  int threads = 0;
  bool json = false, quiet = false;
  std::map<std::string, std::string, std::less<>> fields;
};

std::vector<std::string> specs_of(const AtlasQuestion& q, const Atlas& atlas) {
  std::vector<std::string> out;
  for (const AxisSplit& split : atlas.splits) out.push_back(split_text(split, q.mesh));
  return out;
}

Json way_json(const AtlasWay& way) {
  return {{"collectives", way.collectives},
          {"bytes", way.bytes},
          {"time_s", to_seconds(way.time)},
          {"peak_bytes", way.peak_bytes}};
}

std::string json_of(const AtlasQuestion& q, const Atlas& atlas) {
  const std::vector<std::string> specs = specs_of(q, atlas);
  Json triples = Json::array();
  for (const AtlasTriple& t : atlas.triples) {
    Json best = way_json(t.best);
    best["strategy"] = t.strategy;
    triples.push_back({{"lhs", specs[t.lhs]},
                       {"rhs", specs[t.rhs]},
                       {"result", specs[t.result]},
                       {"case", static_cast<int>(t.which)},
                       {"xla", way_json(t.xla)},
                       {"shardy", way_json(t.shardy)},
                       {"best", best}});
  }
  const Json out = {{"mesh", q.mesh.text()},
                    {"m", q.m},
                    {"k", q.k},
                    {"n", q.n},
                    {"dtype", name(q.type)},
                    {"hardware", q.hardware.name},
                    {"shardings", specs},
                    {"triples", triples}};
  return out.dump(1) + "\n";
}

std::string csv_of(const AtlasQuestion& q, const Atlas& atlas) {
  std::string out =
      "lhs,rhs,result,case,xla_s,xla_bytes,xla_peak_bytes,xla_collectives,shardy_s,shardy_bytes,"
      "shardy_peak_bytes,shardy_collectives,best_s,best_bytes,best_peak_bytes,strategy\n";
  const std::vector<std::string> specs = specs_of(q, atlas);
  const auto spec = [&](size_t k) { return csv_cell(specs[k]); };
  const auto way = [](const AtlasWay& w) {
    return fmt::format("{},{},{}", to_seconds(w.time), w.bytes, w.peak_bytes);
  };
  for (const AtlasTriple& t : atlas.triples)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", spec(t.lhs), spec(t.rhs), spec(t.result),
                       static_cast<int>(t.which), way(t.xla), csv_cell(join(t.xla.collectives, "; ")),
                       way(t.shardy), csv_cell(join(t.shardy.collectives, "; ")), way(t.best),
                       csv_cell(t.strategy));
  return out;
}

// What the picture shows. Which sharding of the result; none: the best of all.
Result<AtlasView> view_of(const AtlasOptions& options, const AtlasQuestion& q) {
  AtlasView out;
  out.of = options.of == "time"    ? AtlasView::Of::time
           : options.of == "bytes" ? AtlasView::Of::bytes
                                   : AtlasView::Of::memory;
  out.who = options.who == "xla"      ? AtlasView::Who::xla
            : options.who == "shardy" ? AtlasView::Who::shardy
                                      : AtlasView::Who::best;
  if (options.result.empty()) return out;
  const Result<SplitText> read = parse_axis_split(options.result, q.mesh, 2);
  if (!read.ok()) return placed(read.error(), "--result");
  TRY(const std::vector<AxisSplit> splits, atlas_splits(q.mesh));
  const auto found = std::ranges::find(splits, read->split);
  if (found == splits.end())
    return invalid("the atlas has no such sharding", "--result", "name whole axes in the mesh's order");
  out.result = static_cast<size_t>(found - splits.begin());
  return out;
}

Result<void> draw(const AtlasOptions& options, const AtlasView& view, const PictureSize& size,
                  const AtlasQuestion& q, const Atlas& atlas) {
  start_offscreen_gui();
  return write_picture(
      layout_atlas(atlas, specs_of(q, atlas), view, {size.width, size.height, light_theme(), measure_text}),
      options.picture);
}

// The result that the two operands give soonest, in a table of lhs by rhs.
std::string table_of(const AtlasQuestion& q, const Atlas& atlas) {
  const std::vector<std::string> specs = specs_of(q, atlas);
  size_t width = 10;
  for (const std::string& spec : specs) width = std::max(width, spec.size());
  std::string out = fmt::format("{:<{}}", "lhs \\ rhs", width + 2);
  for (const std::string& spec : specs) out += fmt::format("{:>{}}", spec, width + 2);
  out += "\n";
  for (size_t lhs = 0; lhs < specs.size(); ++lhs) {
    out += fmt::format("{:<{}}", specs[lhs], width + 2);
    for (size_t rhs = 0; rhs < specs.size(); ++rhs) {
      Picoseconds least = atlas.at(lhs, rhs, 0).best.time;
      for (size_t result = 1; result < specs.size(); ++result)
        least = std::min(least, atlas.at(lhs, rhs, result).best.time);
      out += fmt::format("{:>{}}", format_picoseconds(least), width + 2);
    }
    out += "\n";
  }
  return out;
}

std::string text_of(const AtlasQuestion& q, const Atlas& atlas) {
  size_t free = 0, same = 0, xla = 0, shardy = 0, neither = 0;
  for (const AtlasTriple& t : atlas.triples) {
    free += t.best.collectives.empty() ? 1U : 0U;
    same += t.xla.time == t.shardy.time ? 1U : 0U;
    xla += t.xla.time < t.shardy.time ? 1U : 0U;
    shardy += t.shardy.time < t.xla.time ? 1U : 0U;
    neither += t.best.time < std::min(t.xla.time, t.shardy.time) ? 1U : 0U;
  }
  std::string out =
      fmt::format("X[{},{}] W[{},{}] {} on mesh {}, {}: {} of the three arrays\n", q.m, q.k, q.k, q.n,
                  name(q.type), q.mesh.text(), q.hardware.name, counted(atlas.triples.size(), "sharding"));
  out += fmt::format(
      "{} take no communication; XLA's partitioner is faster in {}, Shardy's in {}, both alike in "
      "{}; in {} there is a faster way than both\n\n",
      free, xla, shardy, same, neither);
  return out + "time of the best way, for the result's sharding that is fastest:\n" + table_of(q, atlas);
}

Result<int> run(const AtlasOptions& options, const std::stop_token& stop) {
  AtlasQuestion q;
  TRY(q.mesh, Mesh::parse(options.mesh));
  q.m = options.m;
  q.k = options.k;
  q.n = options.n;
  const auto type = parse_element_type(options.dtype);
  if (!type) return invalid(fmt::format("unknown type '{}'", options.dtype), "--dtype");
  q.type = *type;
  TRY(q.hardware, typed_hardware(options.fields));
  // What is wrong with the picture is said before the work.
  TRY(const PictureSize size, parse_picture_size(options.size));
  TRY(const AtlasView view, view_of(options, q));
  if (!options.picture.empty()) TRY_VOID(picture_format_of(options.picture));
  const ProgressLine line(!options.quiet && !options.json);
  const auto shower = line.shower();
  const Result<Atlas> made = make_atlas(q, Workers(options.threads), stop, [&](double part) {
    if (shower) shower("partitioning", part);
  });
  line.clear();
  if (!made.ok()) return made.error();
  if (!options.csv.empty()) TRY_VOID(write_output(csv_of(q, *made), options.csv));
  if (!options.picture.empty()) TRY_VOID(draw(options, view, size, q, *made));
  if (options.json || options.csv != "-")
    TRY_VOID(print_text(options.json ? json_of(q, *made) : text_of(q, *made)));
  return kExitDone;
}

}  // namespace

Command add_atlas_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "atlas", "Compare what XLA, Shardy and the best way move, for every sharding of a product's arrays");
  auto options = std::make_shared<AtlasOptions>();
  command->add_option("--mesh", options->mesh, "Mesh of up to three axes, as in x=2,y=4")->required();
  command->add_option("--m", options->m, "Rows of X and of the result")
      ->required()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command->add_option("--k", options->k, "Columns of X, rows of W")
      ->required()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command->add_option("--n", options->n, "Columns of W and of the result")
      ->required()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command->add_option("--dtype", options->dtype, "Element type (default: f32)");
  add_field_option(*command, *find_field("hardware"), options->fields);
  command->add_option("--csv", options->csv, "Write all triples as a table to this file")
      ->type_name(kOutputFile);
  command
      ->add_option("-o,--output", options->picture,
                   "Draw a heat map into a file ending in .png, .svg or .pdf")
      ->type_name(kOutputFile);
  command->add_option("--size", options->size, "Pixels of the heat map, as in 1400x900");
  command->add_option("--of", options->of, "What the heat map shows: time, bytes or memory")
      ->check(CLI::IsMember({"time", "bytes", "memory"}));
  command->add_option("--who", options->who, "Whose: best, xla or shardy")
      ->check(CLI::IsMember({"best", "xla", "shardy"}));
  command->add_option("--result", options->result,
                      "Sharding of the result in the heat map, as in \"P('x',None)\" (default: the best)");
  add_threads(*command, options->threads);
  command->add_flag("--quiet", options->quiet, kQuietHelp);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token stop) { return run(*options, stop); };
}

}  // namespace shardscope::inline cli
