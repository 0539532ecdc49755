// SPDX-License-Identifier: Apache-2.0
// XSpace, the profile of JAX and XLA: a plane has its tables of names behind the lines that use them, so a
// first reading takes the tables and a second one the events.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "engine/measure/import/xla_events.h"
#include "engine/measure/import/xplane_tables.h"

namespace shardscope::inline measure {
namespace {

using wire::CodedInputStream;
using wire::field;
using xplane::EventName;
using xplane::Plane;
using xplane::Stat;
using xplane::StatName;

// The statistics of an event, its own in front of those of its name.
struct Stats {
  std::array<const Stat*, xplane::kStatNames> by_name{};
  const Stat* at(StatName name) const { return by_name[static_cast<size_t>(name)]; }
  int64_t integer(StatName name) const {
    const Stat* stat = at(name);
    if (stat == nullptr) return 0;
    return stat->integer != 0 || !(std::abs(stat->real) < 9e18) ? stat->integer
                                                                : static_cast<int64_t>(stat->real);
  }
};

struct LineEvent {
  int64_t name = 0, offset = 0, duration = 0;
  std::vector<Stat> stats;  // reused from event to event
  size_t stat_count = 0;
};

// What a line's events look up again and again.
struct LineFrame {
  std::string name;
  int64_t timestamp_ns = 0;
  XlaLine kind = XlaLine::derived;
  int16_t device = -1, lane = -1;
  bool of_host = false;
  bool begun = false;
  std::map<std::array<int64_t, 4>, XlaOperation> operations;
};

class XplaneEvents {
 public:
  XplaneEvents(const xplane::Space& space, bool host_too, Importing& into)
      : space_(space), host_too_(host_too), into_(into) {}

  bool plane(CodedInputStream& in, uint32_t tag, size_t place) {
    if (place >= space_.planes.size()) return false;
    plane_ = &space_.planes[place];
    const bool of_host = plane_->name == "/host:CPU";
    if (!is_device_plane(plane_->name) && !of_host) return wire::skip(in, tag);
    const bool whole = wire::message(
        in, tag, [&](uint32_t t) { return field(t) == 3 ? line(in, t, of_host) : wire::skip(in, t); });
    return whole && accept(pairs_.finish(into_));
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  bool accept(const Result<void>& outcome) {
    if (!outcome.ok()) error_ = outcome.error();
    return outcome.ok();
  }
  template <class T>
  bool accept(const Result<T>& outcome, T& out) {
    if (!outcome.ok()) error_ = outcome.error();
    if (outcome.ok()) out = *outcome;
    return outcome.ok();
  }

  bool line(CodedInputStream& in, uint32_t tag, bool of_host) {
    LineFrame frame;
    frame.of_host = of_host;
    return wire::message(in, tag, [&](uint32_t t) {
      switch (field(t)) {
        case 2:
          return wire::text(in, t, frame.name);
        case 3:
          return wire::integer(in, t, frame.timestamp_ns);
        case 4:
          return begin(frame) && (frame.kind == XlaLine::derived ? wire::skip(in, t) : event(in, t, frame));
        default:
          return wire::skip(in, t);
      }
    });
  }
  // A line's name and clock stand in front of its events.
  bool begin(LineFrame& frame) {
    if (std::exchange(frame.begun, true)) return true;
    frame.kind = frame.of_host ? XlaLine::operations : line_kind(plane_->name, frame.name);
    if (frame.kind == XlaLine::derived || frame.of_host) return true;
    if (!accept(into_.builder.device(plane_->name), frame.device)) return false;
    return frame.kind == XlaLine::steps ||
           accept(into_.builder.lane(frame.name, nests(frame.name)), frame.lane);
  }

  bool event(CodedInputStream& in, uint32_t tag, LineFrame& frame) {
    LineEvent& e = event_;
    e.name = e.offset = e.duration = 0;
    e.stat_count = 0;
    const bool whole = wire::message(in, tag, [&](uint32_t t) {
      switch (field(t)) {
        case 1:
          return wire::integer(in, t, e.name);
        case 2:
          return wire::integer(in, t, e.offset);
        case 3:
          return wire::integer(in, t, e.duration);
        case 4:
          return stat(in, t, e);
        default:
          return wire::skip(in, t);
      }
    });
    return whole && accept(take(frame, e));
  }
  static bool stat(CodedInputStream& in, uint32_t tag, LineEvent& e) {
    constexpr size_t kMostOfAnEvent = 64;
    if (e.stat_count == kMostOfAnEvent) return wire::skip(in, tag);
    if (e.stat_count == e.stats.size()) e.stats.emplace_back();
    Stat& next = e.stats[e.stat_count++];
    next.id = next.integer = 0;
    next.real = 0;
    next.text.clear();
    next.refers = false;
    return xplane::read_stat(in, tag, next);
  }

  Result<void> take(LineFrame& frame, const LineEvent& e) {
    const ClockTime start{frame.timestamp_ns, e.offset};
    if (frame.kind == XlaLine::steps) return into_.builder.add_step(start, e.duration, frame.device);
    const auto named = plane_->events.find(e.name);
    const EventName& name = named == plane_->events.end() ? kNoName : named->second;
    const Stats stats = stats_of(e, name);
    if (frame.of_host) {
      if (stats.at(StatName::step_num) != nullptr)
        into_.builder.add_annotated_step(name.name, start, e.duration);
      if (!host_too_ || stats.at(StatName::hlo_op) == nullptr) return {};
      TRY(frame.device, into_.builder.device(fmt::format("CPU {}", stats.integer(StatName::device_ordinal))));
      TRY(frame.lane, into_.builder.lane(std::string(kHostLane)));
    }
    TRY(const XlaOperation* operation, operation_of(frame, e, name, stats));
    return add_xla_event(
        *operation, {start, e.duration, frame.device, frame.lane, frame.kind, stats.integer(StatName::flow)},
        pairs_, into_);
  }
  Stats stats_of(const LineEvent& e, const EventName& name) const {
    Stats out;
    const auto put = [&](const Stat& s) {
      const StatName known = plane_->name_of(s);
      if (known != StatName::none) out.by_name[static_cast<size_t>(known)] = &s;
    };
    for (const Stat& s : name.stats) put(s);
    for (size_t i = 0; i < e.stat_count; ++i) put(e.stats[i]);
    return out;
  }

  // Described once for all events of a name, an instruction and a module, when texts are references or the
  // name's.
  Result<const XlaOperation*> operation_of(LineFrame& frame, const LineEvent& e, const EventName& name,
                                           const Stats& stats) {
    std::array<int64_t, 4> key{e.name, 0, 0, stats.integer(StatName::program_id)};
    bool cached = true;
    for (const StatName each : {StatName::hlo_op, StatName::hlo_module}) {
      const Stat* s = stats.at(each);
      key[each == StatName::hlo_op ? 1 : 2] = s == nullptr ? 0 : s->integer;
      cached = cached && (s == nullptr || s->refers || is_of(name, s));
    }
    if (const auto found = frame.operations.find(key); cached && found != frame.operations.end())
      return &found->second;
    TRY(uncached_,
        xla_operation(words_of(name, stats), frame.kind, frame.of_host ? kHostLane : frame.name, into_));
    if (!cached) return &uncached_;
    return &frame.operations.insert_or_assign(key, std::move(uncached_)).first->second;
  }
  static bool is_of(const EventName& name, const Stat* stat) {
    return !name.stats.empty() && stat >= name.stats.data() && stat < name.stats.data() + name.stats.size();
  }
  HloWords words_of(const EventName& name, const Stats& stats) {
    const auto text = [&](StatName each) {
      const Stat* s = stats.at(each);
      return s == nullptr ? std::string_view() : plane_->text_of(*s);
    };
    HloWords words;
    words.name = name.display_name.empty() ? name.name : name.display_name;
    words.hlo_op = text(StatName::hlo_op);
    words.category = text(StatName::hlo_category);
    words.shape = text(StatName::shape_with_layout);
    words.long_name = text(StatName::long_name);
    if (words.long_name.empty() && name.name.find(" = ") != std::string::npos) words.long_name = name.name;
    words.bytes_accessed = stats.integer(StatName::bytes_accessed);
    words.flops =
        static_cast<double>(std::max(stats.integer(StatName::model_flops), stats.integer(StatName::flops)));
    words.module = text(StatName::hlo_module);
    if (words.module.empty() && stats.at(StatName::program_id) != nullptr)
      words.module = module_of(stats.integer(StatName::program_id));
    words.program = stats.integer(StatName::program_id);
    return words;
  }
  std::string_view module_of(int64_t program) {
    const auto found = space_.modules.find(program);
    if (found != space_.modules.end()) return found->second;
    module_text_ = fmt::format("program {}", program);
    return module_text_;
  }

  inline static const EventName kNoName{"(event without a name)", "", {}};
  const xplane::Space& space_;
  bool host_too_;
  Importing& into_;
  const Plane* plane_ = nullptr;
  AsyncPairs pairs_;
  LineEvent event_;
  XlaOperation uncached_;
  std::string module_text_;
  std::optional<Error> error_;
};

}  // namespace

Result<void> read_xplane(const std::string& path, Importing& into) {
  into.format = "xplane";
  xplane::Space space;
  {
    TRY(const auto source, ByteSource::open(path, half_of(into.context, 0)));
    TRY(space, xplane::read_tables(*source));
  }
  into.host = space.host;
  if (into.chip.empty()) into.chip = space.chip;
  for (xplane::Space::Proto& proto : space.protos)
    into.modules.hold(proto.program, proto.name, std::move(proto.bytes));
  for (const std::string& complaint : space.complaints)
    into.builder.note(fmt::format("{}: its profiler says: {}", path, complaint));
  const bool has_device =
      std::ranges::any_of(space.planes, [](const Plane& plane) { return is_device_plane(plane.name); });
  into.begin_file();
  XplaneEvents events(space, !has_device, into);
  TRY(const auto source, ByteSource::open(path, half_of(into.context, 1)));
  Result<void> read = xplane::each_plane(
      *source, [&](CodedInputStream& in, uint32_t tag, size_t place) { return events.plane(in, tag, place); },
      [](CodedInputStream& in, uint32_t tag) { return wire::skip(in, tag); });
  if (events.error()) return *events.error();
  return read;
}

}  // namespace shardscope::inline measure
