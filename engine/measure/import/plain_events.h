// SPDX-License-Identifier: Apache-2.0
// The events of a Chrome trace, taken out of the stream as fast as its bytes come.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/measure/import/byte_source.h"
#include "engine/measure/import/json_events.h"

namespace shardscope::inline measure {

// A file without the events that profilers write by the million: in ASCII, without escapes, their arguments
// flat or lists. Those are taken on the way, with the arguments that are used, and leave a 0 behind. All
// else, what is damaged among it, goes on as it is to a parser that knows all of JSON; the order of events
// stays.
class PlainEvents : public ByteSource {
 public:
  PlainEvents(ByteSource& source, const std::function<Result<void>(JsonEvent&)>& take)
      : source_(source), take_(take) {}

  // What is left of the next piece. Error: of the source, or of who takes the events.
  Result<std::string_view> next() override;
  const std::string& path() const override { return source_.path(); }
  bool zipped() const override { return source_.zipped(); }
  // Where in the file the byte is that was passed on as number `passed`.
  int64_t position(int64_t passed) const;

 private:
  struct Mark {
    int64_t passed = 0, original = 0;
  };
  Result<void> fill();
  void pass(char c);
  Result<bool> take_event();

  ByteSource& source_;
  const std::function<Result<void>(JsonEvent&)>& take_;
  std::string data_;  // what is not looked at yet begins at at_
  size_t at_ = 0;
  int64_t before_ = 0;  // bytes of the file in front of data_
  std::string out_;
  int64_t passed_ = 0;       // in front of out_
  std::vector<Mark> marks_;  // of out_, ascending
  JsonEvent event_;
  std::string key_, text_;  // of the outermost object: the last key, the last text
  int64_t depth_ = 0, events_depth_ = -1;
  bool in_text_ = false, escaped_ = false, ended_ = false;
  bool other_ = false;  // out_ holds an event that was not taken
};

}  // namespace shardscope::inline measure
