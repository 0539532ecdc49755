// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/measure/xplane_file.h"

#include <algorithm>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

namespace shardscope {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

template <class Write>
void append(std::string& bytes, Write write) {
  StringOutputStream stream(&bytes);
  CodedOutputStream out(&stream);
  write(out);
}

int64_t number_in(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return found - names.begin() + 1;
  names.push_back(name);
  return static_cast<int64_t>(names.size());
}

}  // namespace

Message& Message::integer(int field, int64_t value) {
  append(bytes_, [&](CodedOutputStream& out) {
    out.WriteTag(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_VARINT));
    out.WriteVarint64(static_cast<uint64_t>(value));
  });
  return *this;
}

Message& Message::real(int field, double value) {
  append(bytes_, [&](CodedOutputStream& out) {
    out.WriteTag(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_FIXED64));
    out.WriteLittleEndian64(WireFormatLite::EncodeDouble(value));
  });
  return *this;
}

Message& Message::text(int field, const std::string& value) {
  append(bytes_, [&](CodedOutputStream& out) {
    out.WriteTag(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
    out.WriteVarint32(static_cast<uint32_t>(value.size()));
    out.WriteString(value);
  });
  return *this;
}

int64_t PlaneFile::event_number(const std::string& name) {
  const int64_t number = number_in(events_, name);
  descriptions_.resize(events_.size());
  return number;
}

int64_t PlaneFile::stat_number(const std::string& name) {
  return number_in(stats_, name);
}

Message PlaneFile::stat(const std::string& name, const std::string& text) {
  return Message().integer(1, stat_number(name)).integer(7, stat_number(text));
}

Message PlaneFile::stat(const std::string& name, int64_t value) {
  return Message().integer(1, stat_number(name)).integer(4, value);
}

void PlaneFile::describe(const std::string& event, const std::string& display_name, const Stats& stats,
                         const Numbers& numbers) {
  Message& out = descriptions_[static_cast<size_t>(event_number(event)) - 1];
  if (!display_name.empty()) out.text(4, display_name);
  for (const auto& [name, text] : stats) out.add(5, stat(name, text));
  for (const auto& [name, value] : numbers) out.add(5, stat(name, value));
}

void PlaneFile::line(const std::string& name, int64_t timestamp_ns, const std::vector<Event>& events) {
  Message out;
  out.integer(1, static_cast<int64_t>(lines_.size())).text(2, name).integer(3, timestamp_ns);
  for (const Event& e : events) {
    Message event;
    event.integer(1, event_number(e.name)).integer(2, e.offset_ps).integer(3, e.duration_ps);
    for (const auto& [stat_name, text] : e.stats) event.add(4, stat(stat_name, text));
    for (const auto& [stat_name, value] : e.numbers) event.add(4, stat(stat_name, value));
    out.add(4, event);
  }
  lines_.push_back(std::move(out));
}

// Fields in the order of their numbers, as every writer has them: tables stand behind the lines that use
// them.
Message PlaneFile::message() const {
  Message out;
  out.text(2, name_);
  for (const Message& line : lines_) out.add(3, line);
  for (size_t i = 0; i < events_.size(); ++i) {
    const auto id = static_cast<int64_t>(i + 1);
    Message named;
    named.integer(1, id).text(2, events_[i]);
    Message whole;
    whole.integer(1, id).text(2, named.bytes() + descriptions_[i].bytes());
    out.add(4, whole);
  }
  for (size_t i = 0; i < stats_.size(); ++i) {
    const auto id = static_cast<int64_t>(i + 1);
    out.add(5, Message().integer(1, id).add(2, Message().integer(1, id).text(2, stats_[i])));
  }
  return out;
}

std::string space_file(const std::vector<PlaneFile>& planes, const std::string& host,
                       const std::string& warning) {
  Message out;
  for (const PlaneFile& plane : planes) out.add(1, plane.message());
  if (!warning.empty()) out.text(3, warning);
  if (!host.empty()) out.text(4, host);
  return out.bytes();
}

}  // namespace shardscope
