// SPDX-License-Identifier: Apache-2.0
// Profiles in Chrome's format: those of XLA have a process a device, "/device:TPU:0", those of PyTorch
// kernels with a category and a stream.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_map>

#include "engine/base/text.h"
#include "engine/measure/import/cpu_operators.h"
#include "engine/measure/import/event_words.h"
#include "engine/measure/import/json_events.h"
#include "engine/measure/import/kept_events.h"
#include "engine/measure/import/launched_steps.h"
#include "engine/measure/import/reader.h"
#include "engine/measure/import/xla_events.h"

namespace shardscope::inline measure {
namespace {

// XLA's writer of this format stops there and keeps what it likes.
constexpr int64_t kCutAt = 1'000'000;
constexpr size_t kMostThreads = 100'000;

class JsonProfile {
 public:
  JsonProfile(std::string path, Importing& into) : path_(std::move(path)), into_(into) {}

  // Names of processes and threads may come behind their events, operators behind their kernels: those are
  // taken first, and events that may be a device's are set aside.
  Result<void> learn(JsonEvent& e) {
    if (e.phase == "M") return learn_name(e);
    if (e.phase != "X") return {};
    ++events_;
    todays_category(e);
    if (e.category == "cpu_op" || e.category == "kernel") torch_ = true;
    if (is_torchs_host(e.category))
      left_out_ = true;
    else
      kept_.add(e);
    if (e.category == "cpu_op") return learn_operator(e);
    if (e.category == "user_annotation" && e.start) launched_.mark(e.name, *e.start, e.duration.value_or(0));
    if (e.start && (e.category == "cuda_runtime" || e.category == "cuda_driver" || e.category == "runtime"))
      launched_.launch(e.integer("correlation"), *e.start);
    return {};
  }
  Result<void> learned(const JsonHeader& header) {
    torch_ = torch_ || header.torch;
    launched_.learned();
    operators_.learned();
    into_.format = torch_ ? "kineto" : "chrome";
    if (into_.chip.empty()) into_.chip = header.chip;
    if (header.rank) into_.host = fmt::format("rank {}", *header.rank);
    if (!torch_ && events_ >= kCutAt)
      return invalid(fmt::format("the profile was cut: it holds {} events, and its writer stops at {}",
                                 group_digits(events_), group_digits(kCutAt)),
                     path_,
                     "import the xplane.pb of the same profile, which is whole, or profile fewer steps");
    return {};
  }

  // Of the file, once from its begin to its end.
  Result<JsonHeader> read_first() {
    TRY(const auto source, ByteSource::open(path_, half_of(into_.context, 0)));
    TRY(JsonHeader header, read_json_events(*source, [this](JsonEvent& e) { return learn(e); }));
    TRY_VOID(learned(header));
    return header;
  }

  Result<void> finish() {
    if (torch_) TRY_VOID(launched_.finish(into_.file_number, into_.builder));
    return pairs_.finish(into_);
  }

  // Whether the file has to be read once more for its events.
  bool needs_events() const { return kept_.full() || (left_out_ && !torch_); }
  Result<void> take_kept() {
    return kept_.each([this](JsonEvent& e) {
      return into_.context.stop.stop_requested() ? Result<void>(cancelled()) : take(e);
    });
  }
  Result<void> take(JsonEvent& e) {
    if (e.phase != "X") return {};
    todays_category(e);
    if (e.bad_time || !e.start)
      return is_of_device(e)
                 ? Result<void>(invalid(fmt::format("event '{}' has no time that fits", e.name), path_))
                 : Result<void>();
    return torch_ ? take_torch(e) : take_xla(e);
  }

 private:
  // PyTorch before 2.0 has other names.
  static void todays_category(JsonEvent& e) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames{
        {{"Kernel", "kernel"},
         {"Memcpy", "gpu_memcpy"},
         {"Memset", "gpu_memset"},
         {"Runtime", "cuda_runtime"},
         {"Operator", "cpu_op"}}};
    for (const auto& [then, now] : kNames)
      if (e.category == then) e.category = now;
  }
  // What PyTorch writes of its host, and what is asked of it is taken at once.
  static bool is_torchs_host(std::string_view category) {
    constexpr std::array<std::string_view, 11> kHost{
        "cpu_op",  "user_annotation", "gpu_user_annotation", "python_function", "cuda_runtime", "cuda_driver",
        "runtime", "overhead",        "cpu_instant_event",   "Trace",           "mtia_runtime"};
    return std::ranges::find(kHost, category) != kHost.end();
  }
  static std::string_view external_id(const JsonEvent& e) {
    const std::string_view id = e.argument("External id");
    return id.empty() ? e.argument("external id") : id;
  }
  Result<void> learn_name(const JsonEvent& e) {
    if (names_.size() == kMostThreads) return {};
    if (e.name == "process_name") names_[e.process] = e.argument("name");
    if (e.name == "process_name" && is_device_plane(e.argument("name"))) has_devices_ = true;
    if (e.name == "thread_name") names_[e.process + "\x1f" + e.thread] = e.argument("name");
    return {};
  }
  Result<void> learn_operator(const JsonEvent& e) {
    operators_.add(external_id(e), e.name, e.argument("Input Dims"), type_argument(e));
    return {};
  }
  static std::string_view type_argument(const JsonEvent& e) {
    const std::string_view types = e.argument("Input type");
    return types.empty() ? e.argument("Input Types") : types;
  }
  std::string_view name_of(const std::string& key) const {
    const auto found = names_.find(key);
    return found == names_.end() ? std::string_view() : std::string_view(found->second);
  }
  bool is_of_device(const JsonEvent& e) const {
    return torch_ ? e.category == "kernel" || e.category.starts_with("gpu_mem")
                  : is_device_plane(name_of(e.process));
  }
  Result<void> add(const JsonEvent& e, const MeasuredEvent& event) {
    return into_.builder.add(*e.start, e.duration.value_or(0), event);
  }

  Result<void> take_xla(const JsonEvent& e) {
    const std::string_view process = name_of(e.process), thread = name_of(e.process + "\x1f" + e.thread);
    if (!is_device_plane(process)) return take_xla_host(e);
    TRY(const int16_t device, into_.builder.device(std::string(process)));
    const XlaLine kind = line_kind(process, thread);
    if (kind == XlaLine::steps) return into_.builder.add_step(*e.start, e.duration.value_or(0), device);
    if (kind == XlaLine::derived) return {};
    return add_xla(e, kind, device, thread);
  }
  // Without devices the host is what XLA runs on.
  Result<void> take_xla_host(const JsonEvent& e) {
    if (!e.argument("step_num").empty())
      into_.builder.add_annotated_step(e.name, *e.start, e.duration.value_or(0));
    if (has_devices_ || e.argument("hlo_op").empty()) return {};
    TRY(const int16_t device, into_.builder.device(fmt::format("CPU {}", e.integer("device_ordinal"))));
    return add_xla(e, XlaLine::operations, device, kHostLane);
  }
  Result<void> add_xla(const JsonEvent& e, XlaLine kind, int16_t device, std::string_view thread) {
    HloWords words;
    words.name = e.name;
    words.hlo_op = e.argument("hlo_op");
    words.module = e.argument("hlo_module");
    words.category = e.argument("hlo_category");
    words.long_name = e.argument("long_name");
    words.shape = e.argument("shape_with_layout");
    words.bytes_accessed = e.integer("bytes_accessed");
    words.flops = static_cast<double>(std::max(e.integer("model_flops"), e.integer("flops")));
    words.program = e.integer("program_id");
    TRY(const int16_t lane, into_.builder.lane(std::string(thread), nests(thread)));
    TRY(const XlaOperation operation, xla_operation(words, kind, thread, into_));
    const XlaEvent event{*e.start, e.duration.value_or(0), device, lane, kind, e.integer("flow")};
    return add_xla_event(operation, event, pairs_, into_);
  }

  Result<void> take_torch(const JsonEvent& e) {
    if (!is_of_device(e)) return {};
    const std::string_view number = e.argument("device"), stream = e.argument("stream");
    TRY(const int16_t device,
        into_.builder.device(fmt::format("GPU {}", number.empty() ? e.process : number)));
    TRY(const int16_t lane, into_.builder.lane(fmt::format("stream {}", stream.empty() ? e.thread : stream)));
    const bool launched = e.argument("correlation").empty() ||
                          launched_.run(e.integer("correlation"), *e.start, e.duration.value_or(0), lane);
    ProfiledOperation facts = e.category == "kernel" ? torch_kernel(e) : torch_copy(e);
    facts.early = !launched;
    TRY(const int32_t operation, into_.operation(std::move(facts)));
    const std::string_view ranks = e.argument("Process Group Ranks"),
                           group = e.argument("Process Group Name");
    TRY(const int64_t members,
        into_.builder.members(ranks.empty() && group.empty() ? "" : fmt::format("{} {}", group, ranks)));
    return add(e, {.wait = members, .device = device, .lane = lane, .operation = operation});
  }
  MeasuredOperation torch_kernel(const JsonEvent& e) const {
    TorchWords words;
    words.kernel = e.name;
    if (const auto found = operators_.find(external_id(e))) {
      words.cpu_op = found->name;
      words.input_dims = found->dims;
      words.input_types = found->types;
    }
    words.collective = e.argument("Collective name");
    words.dtype = e.argument("dtype");
    words.elements_in = e.integer("In msg nelems");
    words.elements_out = e.integer("Out msg nelems");
    words.group = static_cast<int32_t>(std::clamp<int64_t>(e.integer("Group size"), 0, 1 << 24));
    return describe_torch(words);
  }
  static MeasuredOperation torch_copy(const JsonEvent& e) {
    MeasuredOperation out = describe_kernel(e.name);
    out.kind = MeasuredKind::copy;
    out.matched = true;
    out.bytes = std::max<int64_t>(0, e.integer("bytes"));
    return out;
  }

  std::string path_;
  Importing& into_;
  std::unordered_map<std::string, std::string> names_;  // of processes and threads
  CpuOperators operators_;
  AsyncPairs pairs_;
  LaunchedSteps launched_;
  KeptEvents kept_;
  int64_t events_ = 0;
  bool torch_ = false, has_devices_ = false;
  bool left_out_ = false;  // events of a host as PyTorch writes them
};

}  // namespace

Result<void> read_json_profile(const std::string& path, Importing& into) {
  JsonProfile profile(path, into);
  TRY(const JsonHeader header, profile.read_first());
  into.begin_file();
  if (profile.needs_events()) {
    TRY(const auto source, ByteSource::open(path, half_of(into.context, 1)));
    TRY_VOID(read_json_events(*source, [&](JsonEvent& e) { return profile.take(e); }));
  } else {
    TRY_VOID(profile.take_kept());
  }
  TRY_VOID(profile.finish());
  if (header.base_ns) return into.builder.set_clock_start(*header.base_ns);
  return {};
}

}  // namespace shardscope::inline measure
