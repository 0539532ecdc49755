// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/json_events.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <istream>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/measure/import/plain_events.h"

namespace shardscope::inline measure {
namespace {

constexpr size_t kDeepestNesting = 32;
constexpr size_t kMostArguments = 64;
constexpr size_t kLongestArgument = 1 << 16;

constexpr std::array<std::string_view, 29> kUsed{"External id",    "external id",
                                                 "Input Dims",     "Input type",
                                                 "Input Types",    "correlation",
                                                 "device",         "stream",
                                                 "hlo_op",         "Process Group Ranks",
                                                 "hlo_module",     "Process Group Name",
                                                 "dtype",          "Collective name",
                                                 "In msg nelems",  "Out msg nelems",
                                                 "Group size",     "bytes",
                                                 "name",           "hlo_category",
                                                 "step_num",       "long_name",
                                                 "bytes_accessed", "shape_with_layout",
                                                 "model_flops",    "flops",
                                                 "program_id",     "flow",
                                                 "device_ordinal"};

// Most keys are none of them, which this tells.
constexpr size_t mixed(std::string_view key) {
  return (key.size() * 37 + static_cast<unsigned char>(key.front()) * 3 +
          static_cast<unsigned char>(key.back())) %
         256;
}
constexpr std::array<bool, 256> kMaybe = [] {
  std::array<bool, 256> out{};
  for (const std::string_view key : kUsed) out[mixed(key)] = true;
  return out;
}();

using Json = nlohmann::json;

// Keys of what is open, from the outside in. An event is an object in the list "traceEvents", or in a list
// that is the whole file.
class EventMaker {
 public:
  // `place`: where in the file a byte is of which so many were given here.
  EventMaker(std::string path, const std::function<Result<void>(JsonEvent&)>& take,
             std::function<int64_t(size_t)> place)
      : path_(std::move(path)), take_(take), place_(std::move(place)) {}

  const std::optional<Error>& error() const { return error_; }
  const JsonHeader& header() const { return header_; }
  bool had_events() const { return had_events_; }

  bool open(char sign) {
    if (depth() == kDeepestNesting) return fail("it nests deeper than 32");
    if (depth() == 0) is_list_ = sign == '[';
    if (depth() == (is_list_ ? 0U : 1U) && sign == '[' && (is_list_ || keys_[0] == "traceEvents"))
      had_events_ = true;
    if (in_arguments()) {
      comma();
      append(std::string(1, sign));
      raw_first_ = true;
    }
    keys_.emplace_back();
    if (in_event() && depth() == event_depth() && sign == '{') event_ = {};
    return true;
  }
  bool close(char sign) {
    const bool ends_event = in_event() && depth() == event_depth() && sign == '}';
    keys_.pop_back();
    if (in_arguments()) {
      append(std::string(1, sign));
      raw_first_ = false;
      if (depth() == argument_depth()) end_argument();
    }
    if (!ends_event) return true;
    const Result<void> taken = take_(event_);
    if (!taken.ok()) error_ = taken.error();
    return taken.ok();
  }
  bool scalar(std::string text, const char* quote) {
    if (in_arguments() && depth() > argument_depth()) {
      comma();
      append(quote + text + quote);
      return true;
    }
    if (in_arguments())
      event_.add_argument(keys_.back(), text);
    else if (in_event() && depth() == event_depth())
      set_event_field(keys_.back(), text, event_);
    else
      set_header(text);
    return true;
  }

  void key(std::string& text) {
    keys_.back() = std::move(text);
    if (!in_arguments() || depth() == argument_depth()) return;
    append((raw_first_ ? "\"" : ",\"") + keys_.back() + "\":");
    raw_first_ = true;
  }
  bool damaged(size_t position) {
    if (!error_)
      error_ =
          invalid("the JSON is damaged or ends in the middle, at byte " + std::to_string(place_(position)),
                  path_, "copy it again, whole, or export it again");
    return false;
  }

 private:
  size_t depth() const { return keys_.size(); }
  // Depth inside of an event: {"traceEvents": [{ is 3, [{ is 2.
  size_t event_depth() const { return is_list_ ? 2 : 3; }
  size_t argument_depth() const { return event_depth() + 1; }
  bool in_event() const {
    return had_events_ && depth() >= event_depth() && (is_list_ || keys_[0] == "traceEvents");
  }
  bool in_arguments() const {
    return in_event() && depth() >= argument_depth() && keys_[event_depth() - 1] == "args";
  }

  void comma() {
    if (!raw_first_ && depth() > argument_depth() && keys_.back().empty()) append(",");
    raw_first_ = false;
  }
  void append(const std::string& text) {
    if (raw_.size() + text.size() <= kLongestArgument) raw_ += text;
  }
  void end_argument() { event_.add_argument(keys_.back(), std::exchange(raw_, {})); }

  void set_header(const std::string& text) {
    if (depth() == 1 && keys_[0] == "baseTimeNanoseconds") header_.base_ns = parse_int(text);
    if (depth() == 1 && keys_[0] == "schemaVersion") header_.torch = true;
    if (depth() == 3 && keys_[0] == "deviceProperties" && keys_[2] == "name" && header_.chip.empty())
      header_.chip = text;
    if (depth() == 2 && keys_[0] == "distributedInfo" && keys_[1] == "rank") header_.rank = parse_int(text);
  }
  bool fail(const char* what) {
    error_ = invalid(what, path_, "this is not a profile");
    return false;
  }

  std::string path_;
  const std::function<Result<void>(JsonEvent&)>& take_;
  std::function<int64_t(size_t)> place_;
  std::vector<std::string> keys_;
  JsonEvent event_;
  JsonHeader header_;
  std::string raw_;  // JSON text of the list or object that is an argument
  bool raw_first_ = true;
  bool is_list_ = false, had_events_ = false;
  std::optional<Error> error_;
};

class EventReader : public Json::json_sax_t {
 public:
  EventReader(SourceBuffer& buffer, EventMaker& maker) : buffer_(buffer), maker_(maker) {}

  bool null() override { return scalar("null", ""); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false", ""); }
  bool number_integer(number_integer_t value) override { return scalar(std::to_string(value), ""); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value), ""); }
  bool number_float(number_float_t, const string_t& text) override { return scalar(text, ""); }
  bool string(string_t& value) override { return scalar(std::move(value), "\""); }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return buffer_.mark(), maker_.open('{'); }
  bool end_object() override { return buffer_.mark(), maker_.close('}'); }
  bool start_array(size_t) override { return buffer_.mark(), maker_.open('['); }
  bool end_array() override { return buffer_.mark(), maker_.close(']'); }
  bool key(string_t& text) override {
    buffer_.mark();
    maker_.key(text);
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return maker_.damaged(position);
  }

 private:
  bool scalar(std::string text, const char* quote) {
    buffer_.mark();
    return maker_.scalar(std::move(text), quote);
  }

  SourceBuffer& buffer_;
  EventMaker& maker_;
};

}  // namespace

void set_event_field(std::string_view field, std::string_view text, JsonEvent& event) {
  if (field == "ph") {
    event.phase = text;
  } else if (field == "name") {
    event.name = text;
  } else if (field == "cat") {
    event.category = text;
  } else if (field == "pid") {
    event.process = text;
  } else if (field == "tid") {
    event.thread = text;
  } else if (field == "ts") {
    event.start = parse_microseconds(text);
    event.bad_time |= !event.start;
  } else if (field == "dur") {
    const auto time = parse_microseconds(text);
    const auto ps = time ? checked_multiply(time->ns, 1000) : std::nullopt;
    event.duration = ps ? checked_add(*ps, time->ps) : std::nullopt;
    event.bad_time |= !event.duration;
  }
}

bool is_used_argument(std::string_view key) {
  return !key.empty() && kMaybe[mixed(key)] && std::ranges::find(kUsed, key) != kUsed.end();
}

void JsonEvent::add_argument(std::string_view key, std::string_view text) {
  if (arguments.size() < kMostArguments && text.size() <= kLongestArgument && is_used_argument(key))
    arguments.emplace_back(key, text);
}

std::string_view JsonEvent::argument(std::string_view key) const {
  for (const auto& [each, value] : arguments)
    if (each == key) return value;
  return {};
}

int64_t JsonEvent::integer(std::string_view key) const {
  const std::string_view text = argument(key);
  if (const auto exact = parse_int(text)) return *exact;
  const auto real = parse_double(text);
  return real && std::abs(*real) < 9e18 ? static_cast<int64_t>(*real) : 0;
}

// "1700000000000000.25": so many digits that no sum of them is too large.
std::optional<ClockTime> parse_plain_microseconds(std::string_view text) {
  constexpr size_t kMostDigits = 15, kPlaces = 6;  // picoseconds
  const size_t point = std::min(text.find('.'), text.size());
  if (point == 0 || point > kMostDigits) return std::nullopt;
  int64_t whole = 0, behind = 0;
  for (size_t k = 0; k < text.size(); ++k) {
    if (k == point) continue;
    if (text[k] < '0' || text[k] > '9') return std::nullopt;
    if (k > point + kPlaces) continue;
    (k < point ? whole : behind) = 10 * (k < point ? whole : behind) + (text[k] - '0');
  }
  for (size_t k = text.size(); k <= point + kPlaces; ++k)
    if (k > point) behind *= 10;
  return ClockTime{whole * 1000 + behind / 1000, behind % 1000};
}

std::optional<ClockTime> parse_microseconds(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  if (const auto plain = negative ? std::nullopt : parse_plain_microseconds(text)) return plain;
  if (text.find_first_of("eE") != std::string_view::npos) {
    const auto us = parse_double(text);
    if (!us || !(std::abs(*us) < 4e15)) return std::nullopt;
    const double ns = std::floor(*us * 1e3);
    ClockTime out{static_cast<int64_t>(ns), static_cast<int64_t>((*us * 1e3 - ns) * 1e3)};
    return negative ? ClockTime{-out.ns, -out.ps} : out;
  }
  const size_t point = std::min(text.find('.'), text.size());
  std::string digits(
      text.substr(0, point));  // of picoseconds' six places behind the point, three are nanoseconds'
  std::string behind(text.substr(std::min(point + 1, text.size())));
  behind.resize(6, '0');
  const auto ns = parse_int(digits + behind.substr(0, 3)), ps = parse_int(behind.substr(3));
  if (!ns || !ps || *ns < 0 || *ps < 0) return std::nullopt;
  return negative ? ClockTime{-*ns, -*ps} : ClockTime{*ns, *ps};
}

Result<JsonHeader> read_json_events(ByteSource& source, const std::function<Result<void>(JsonEvent&)>& take) {
  PlainEvents rest(source, take);
  SourceBuffer buffer(rest);
  std::istream stream(&buffer);
  EventMaker maker(source.path(), take,
                   [&rest](size_t passed) { return rest.position(static_cast<int64_t>(passed)); });
  EventReader reader(buffer, maker);
  const bool whole = Json::sax_parse(stream, &reader, Json::input_format_t::json, true);
  if (buffer.error()) return *buffer.error();
  if (maker.error()) return *maker.error();
  if (!whole) return invalid("the JSON cannot be read", source.path());
  if (!maker.had_events())
    return invalid("a JSON file without traceEvents", source.path(),
                   "give a profile in Chrome's trace format");
  return maker.header();
}

}  // namespace shardscope::inline measure
