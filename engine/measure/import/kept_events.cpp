// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/kept_events.h"

#include <utility>

#include "engine/base/text.h"

namespace shardscope::inline measure {
namespace {

constexpr size_t kMostKept = size_t{256} << 20;

enum Flag : unsigned char { has_start = 1, has_duration = 2, is_bad = 4 };

// A number that is written in one way only.
std::optional<uint64_t> whole_number(std::string_view text) {
  if (text.empty() || text.size() > 18 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  uint64_t out = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    out = 10 * out + static_cast<uint64_t>(c - '0');
  }
  return out;
}

// Reads what add() wrote.
class Taking {
 public:
  Taking(const std::vector<unsigned char>& bytes, const TextNumbers& texts) : bytes_(bytes), texts_(texts) {}

  bool ended() const { return at_ == bytes_.size(); }
  uint64_t number() {
    uint64_t out = 0;
    for (int shift = 0;; shift += 7) {
      const unsigned char byte = bytes_[at_++];
      out |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return out;
    }
  }
  int64_t signed_number() {
    const uint64_t coded = number();
    return static_cast<int64_t>(coded >> 1) ^ -static_cast<int64_t>(coded & 1);
  }
  const std::string& text() { return texts_.text(number()); }
  std::string argument() {
    const uint64_t coded = number();
    return (coded & 1) != 0 ? texts_.text(coded >> 1) : std::to_string(coded >> 1);
  }

 private:
  const std::vector<unsigned char>& bytes_;
  const TextNumbers& texts_;
  size_t at_ = 0;
};

}  // namespace

void KeptEvents::put(uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes_.push_back(static_cast<unsigned char>(number | 0x80));
  bytes_.push_back(static_cast<unsigned char>(number));
}

void KeptEvents::put_signed(int64_t number) {
  put((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63));
}

void KeptEvents::put_text(const std::string& text) {
  put(texts_.number(text));
}

void KeptEvents::put_argument(const std::string& text) {
  if (const auto number = whole_number(text))
    put(*number << 1);
  else
    put(uint64_t{texts_.number(text)} << 1 | 1);
}

void KeptEvents::add(const JsonEvent& event) {
  if (full_) return;
  if (bytes_.size() + texts_.bytes() > kMostKept) {
    *this = KeptEvents();
    full_ = true;
    return;
  }
  bytes_.push_back(static_cast<unsigned char>(
      (event.start ? has_start : 0) | (event.duration ? has_duration : 0) | (event.bad_time ? is_bad : 0)));
  if (event.start) {
    put_signed(event.start->ns - last_ns_);
    put_signed(event.start->ps);
    last_ns_ = event.start->ns;
  }
  if (event.duration) put_signed(*event.duration);
  for (const std::string* text : {&event.name, &event.category, &event.process, &event.thread})
    put_text(*text);
  put(event.arguments.size());
  for (const auto& argument : event.arguments) {
    put_text(argument.first);
    put_argument(argument.second);
  }
}

Result<void> KeptEvents::each(const std::function<Result<void>(JsonEvent&)>& take) const {
  Taking from(bytes_, texts_);
  JsonEvent event;
  event.phase = "X";
  int64_t ns = 0;
  while (!from.ended()) {
    const auto flags = static_cast<unsigned char>(from.number());
    event.start.reset();
    event.duration.reset();
    if ((flags & has_start) != 0) {
      ns += from.signed_number();
      event.start = ClockTime{ns, from.signed_number()};
    }
    if ((flags & has_duration) != 0) event.duration = from.signed_number();
    event.bad_time = (flags & is_bad) != 0;
    for (std::string* text : {&event.name, &event.category, &event.process, &event.thread})
      *text = from.text();
    event.arguments.resize(from.number());
    for (auto& [key, value] : event.arguments) {
      key = from.text();
      value = from.argument();
    }
    TRY_VOID(take(event));
  }
  return {};
}

}  // namespace shardscope::inline measure
