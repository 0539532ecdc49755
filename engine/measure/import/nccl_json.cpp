// SPDX-License-Identifier: Apache-2.0
// What nccl-tests write with -J FILE.json, one object:
//   { "args": ["all_reduce_perf", …], "config": { "nthreads": 1, "ngpus": 8, "devices": [{ "rank": 0, … }] },
//     "results": [{ "size": 8, "count": 2, "type": "float", "redop": "sum", …,
//                   "out_of_place": { "time": 35.1, "alg_bw": …, "bus_bw": …, "nwrong": 0 }, "in_place": … }]
//                   }
#include <algorithm>
#include <fmt/format.h>
#include <istream>
#include <nlohmann/json.hpp>

#include "engine/base/say.h"
#include "engine/measure/import/event_words.h"
#include "engine/measure/import/nccl_points.h"

namespace shardscope::inline measure {
namespace {

using Json = nlohmann::json;
constexpr size_t kMostBytes = size_t{1} << 30;

// What is long and not asked for: the machine's environment, and each iteration by itself.
bool is_wanted(int, Json::parse_event_t event, Json& parsed) {
  if (event != Json::parse_event_t::key) return true;
  const std::string& key = parsed.get_ref<const std::string&>();
  return key != "env" && !key.ends_with("_per_iter");
}

Result<Json> read_object(const std::string& path, Importing& into) {
  TRY(const auto source, ByteSource::open(path, into.context));
  std::string text;
  for (;;) {
    TRY(const std::string_view piece, source->next());
    if (piece.empty()) break;
    text += piece;
    if (text.size() > kMostBytes) return too_big("the JSON of nccl-tests is larger than 1 GiB", path);
  }
  Json out = Json::parse(text, is_wanted, false);
  if (!out.is_object())
    return invalid("the JSON of nccl-tests is damaged or was not written to its end", path,
                   "let the test run to its end, or give what it printed");
  return out;
}

const Json& part(const Json& of, const char* key) {
  static const Json kNothing;
  const auto found = of.is_object() ? of.find(key) : of.end();
  return of.is_object() && found != of.end() ? *found : kNothing;
}
std::optional<double> number(const Json& of, const char* key) {
  const Json& value = part(of, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}
int64_t whole(const Json& of, const char* key) {
  const Json& value = part(of, key);
  return value.is_number_integer() ? value.get<int64_t>() : -1;
}
std::string word(const Json& of, const char* key) {
  const Json& value = part(of, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// Of the ranks of a process only the first is listed: process p has those from p·threads·GPUs on.
void add_ranks(const Json& config, NcclPoints& points) {
  const int64_t own = std::clamp<int64_t>(whole(config, "nthreads"), 1, TraceBuilder::kMostNames) *
                      std::clamp<int64_t>(whole(config, "ngpus"), 1, TraceBuilder::kMostNames);
  for (const Json& device : part(config, "devices")) {
    const int64_t process = whole(device, "rank") / own;
    const std::string host = word(device, "host").empty() ? word(device, "hostname") : word(device, "host");
    if (const std::string chip = word(device, "name"); !chip.empty()) points.name_chip(chip);
    for (int64_t k = 0; process >= 0 && k < std::min<int64_t>(own, TraceBuilder::kMostNames); ++k)
      points.add_rank(fmt::format("{} of process {}", k, process), host);
  }
}

class NcclResults {
 public:
  explicit NcclResults(NcclPoints& points) : points_(points) {}

  Result<void> add(const Json& result) {
    NcclSizes sizes{whole(result, "size"), whole(result, "count"), element_type_name(word(result, "type")),
                    word(result, "redop")};
    if (sizes.bytes < 0 || sizes.count < 0 || sizes.type.empty()) {
      ++unknown_;
      return {};
    }
    for (const char* key : {"out_of_place", "in_place"}) {
      const Json& measured = part(result, key);
      if (measured.is_null()) continue;  // the test does not have it
      if (measured.contains("cpu_time")) return points_.of_cpu();
      const auto time =
          nccl_time(number(measured, "time"), number(measured, "alg_bw"), number(measured, "bus_bw"));
      if (time) TRY_VOID(points_.add(sizes, *time, std::string_view(key) == "in_place"));
      if (time) points_.count_wrong(number(measured, "nwrong").value_or(0));
      if (!time) ++untimed_;
    }
    return {};
  }
  void say_left_out(TraceBuilder& builder) const {
    if (unknown_ > 0)
      builder.note(
          fmt::format("{} left out: no size, or a type that is unknown", counted(unknown_, "result")));
    if (untimed_ > 0) builder.note(fmt::format("{} left out: no time", counted(untimed_, "measurement")));
  }

 private:
  NcclPoints& points_;
  int64_t unknown_ = 0, untimed_ = 0;
};

}  // namespace

Result<void> read_nccl_json(const std::string& path, Importing& into) {
  into.format = "nccl-tests";
  TRY(const Json all, read_object(path, into));
  NcclPoints points(path, into);
  if (const Json& args = part(all, "args"); args.is_array() && !args.empty() && args[0].is_string())
    points.find_test(args[0].get<std::string>());
  add_ranks(part(all, "config"), points);
  NcclResults results(points);
  for (const Json& result : part(all, "results")) TRY_VOID(results.add(result));
  results.say_left_out(into.builder);
  return points.finish();
}

}  // namespace shardscope::inline measure
