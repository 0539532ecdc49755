// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/plain_events.h"

#include <algorithm>
#include <array>

#include "engine/measure/import/event_scanner.h"

namespace shardscope::inline measure {
namespace {

constexpr size_t kLongestEvent = size_t{1} << 20;  // that is tried; longer ones go on as they are
constexpr size_t kLongestKey = 64;

}  // namespace

Result<void> PlainEvents::fill() {
  before_ += static_cast<int64_t>(at_);
  data_.erase(0, at_);
  at_ = 0;
  TRY(const std::string_view piece, source_.next());
  if (piece.empty()) ended_ = true;
  data_.append(piece);
  return {};
}

// On to the parser of all JSON, watching where texts, lists and objects begin and end.
void PlainEvents::pass(char c) {
  out_.push_back(c);
  if (in_text_) {
    if (escaped_)
      escaped_ = false;
    else if (c == '\\')
      escaped_ = true;
    else if (c == '"')
      in_text_ = false;
    else if (text_.size() < kLongestKey)
      text_.push_back(c);
    return;
  }
  switch (c) {
    case '"':
      in_text_ = true;
      text_.clear();
      break;
    case ':':
      if (depth_ == 1) key_ = text_;
      break;
    case '{':
    case '[':
      if (c == '[' && events_depth_ < 0 && (depth_ == 0 || (depth_ == 1 && key_ == "traceEvents")))
        events_depth_ = depth_ + 1;
      ++depth_;
      break;
    case '}':
    case ']':
      if (depth_ == events_depth_) events_depth_ = -1;
      --depth_;
      break;
    default:
      break;
  }
}

// Whether it was one of the common form. More of the file is read where it ends too early.
Result<bool> PlainEvents::take_event() {
  while (true) {
    size_t end = 0;
    const Scan scan = scan_event(std::string_view(data_).substr(at_), event_, end);
    if (scan == Scan::other || (scan == Scan::cut && (ended_ || data_.size() - at_ > kLongestEvent)))
      return false;
    if (scan == Scan::cut) {
      TRY_VOID(fill());
      continue;
    }
    TRY_VOID(take_(event_));
    at_ += end;
    out_.push_back('0');
    marks_.push_back({passed_ + static_cast<int64_t>(out_.size()), before_ + static_cast<int64_t>(at_)});
    return true;
  }
}

Result<std::string_view> PlainEvents::next() {
  passed_ += static_cast<int64_t>(out_.size());
  out_.clear();
  other_ = events_depth_ >= 0 && depth_ > events_depth_;  // in the middle of one
  marks_.clear();
  marks_.push_back({passed_, before_ + static_cast<int64_t>(at_)});
  while (out_.empty()) {
    if (at_ == data_.size()) {
      if (ended_) break;
      TRY_VOID(fill());
    }
    const size_t enough = std::max<size_t>(data_.size(), 1);
    while (at_ < data_.size() && out_.size() < enough) {
      if (!in_text_ && depth_ == events_depth_ && data_[at_] == '{') {
        if (other_) return std::string_view(out_);  // the one in front of it is taken first
        TRY(const bool taken, take_event());
        if (taken) continue;
        other_ = true;
      }
      pass(data_[at_++]);
    }
  }
  return std::string_view(out_);
}

int64_t PlainEvents::position(int64_t passed) const {
  const auto behind = std::ranges::upper_bound(marks_, passed, {}, &Mark::passed);
  if (behind == marks_.begin()) return passed;
  const Mark& mark = *(behind - 1);
  return mark.original + (passed - mark.passed);
}

}  // namespace shardscope::inline measure
