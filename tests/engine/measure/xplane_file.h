// SPDX-License-Identifier: Apache-2.0
// Writes XSpace files message by message, by the field numbers of tsl/profiler/protobuf/xplane.proto.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace shardscope {

// The bytes of a message that is being made.
class Message {
 public:
  Message& integer(int field, int64_t value);
  Message& real(int field, double value);
  Message& text(int field, const std::string& value);  // also a message in it
  Message& add(int field, const Message& message) { return text(field, message.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// A plane whose names get their numbers as they come.
class PlaneFile {
 public:
  explicit PlaneFile(std::string name) : name_(std::move(name)) {}
  using Stats = std::vector<std::pair<std::string, std::string>>;  // texts
  using Numbers = std::vector<std::pair<std::string, int64_t>>;
  struct Event {
    std::string name;
    int64_t offset_ps = 0, duration_ps = 0;
    Stats stats{};      // of this event alone, as references
    Numbers numbers{};  // of this event alone
  };
  // Of all events of this name.
  void describe(const std::string& event, const std::string& display_name, const Stats& stats,
                const Numbers& numbers);
  void line(const std::string& name, int64_t timestamp_ns, const std::vector<Event>& events);
  Message message() const;

 private:
  int64_t event_number(const std::string& name);
  int64_t stat_number(const std::string& name);
  Message stat(const std::string& name, const std::string& text);
  Message stat(const std::string& name, int64_t value);

  std::string name_;
  std::vector<std::string> events_, stats_;  // number − 1
  std::vector<Message> descriptions_;        // of events_, behind id and name
  std::vector<Message> lines_;
};

std::string space_file(const std::vector<PlaneFile>& planes, const std::string& host = "",
                       const std::string& warning = "");

}  // namespace shardscope
