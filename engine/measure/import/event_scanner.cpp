// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/event_scanner.h"

#include <string>

namespace shardscope::inline measure {
namespace {

constexpr size_t kDeepestList = 16;

// A text without escapes, in ASCII: nothing else can stand between its quotes.
bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x80 && c != '\\';
}
bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Scanner {
 public:
  Scanner(std::string_view text, JsonEvent& event)
      : at_(text.data()), end_(at_ + text.size()), event_(event) {}

  const char* at() const { return at_; }

  Scan event() {
    clear();
    ++at_;
    if (!blanks()) return Scan::cut;
    if (*at_ == '}') return ++at_, Scan::taken;
    while (true) {
      std::string_view key, value;
      if (const Scan scan = key_of(key); scan != Scan::taken) return scan;
      const Scan scan = *at_ == '{' && key == "args" ? arguments() : field(key, value);
      if (scan != Scan::taken) return scan;
      bool more = false;
      if (const Scan next = comma(more); next != Scan::taken || !more) return next;
    }
  }

 private:
  void clear() {
    for (std::string* text : {&event_.phase, &event_.name, &event_.category, &event_.process, &event_.thread})
      text->clear();
    event_.start.reset();
    event_.duration.reset();
    event_.bad_time = false;
    event_.arguments.clear();
  }

  // Whether something stands behind them.
  bool blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
    return at_ != end_;
  }
  // Behind an entry: a comma, and one more, or the closing brace.
  Scan comma(bool& more) {
    if (!blanks()) return Scan::cut;
    more = *at_ == ',';
    if (!more && *at_ != '}') return Scan::other;
    ++at_;
    return more && !blanks() ? Scan::cut : Scan::taken;
  }
  // A key and its colon, up to the first sign of the value.
  Scan key_of(std::string_view& key) {
    if (*at_ != '"') return Scan::other;
    if (const Scan scan = text(key); scan != Scan::taken) return scan;
    if (!blanks()) return Scan::cut;
    if (*at_ != ':') return Scan::other;
    ++at_;
    return blanks() ? Scan::taken : Scan::cut;
  }
  Scan text(std::string_view& out) {
    const char* begin = ++at_;
    while (at_ != end_ && *at_ != '"') {
      if (!is_plain(*at_)) return Scan::other;
      ++at_;
    }
    if (at_ == end_) return Scan::cut;
    out = std::string_view(begin, static_cast<size_t>(at_ - begin));
    ++at_;
    return Scan::taken;
  }
  // A number as JSON writes it, whose text is what it is known by.
  Scan number(std::string_view& out) {
    const char* begin = at_;
    const auto digits = [&] {
      const char* from = at_;
      while (at_ != end_ && is_digit(*at_)) ++at_;
      return at_ - from;
    };
    if (*at_ == '-') ++at_;
    const char* first = at_;
    if (digits() == 0 && at_ != end_) return Scan::other;
    if (at_ - first > 1 && *first == '0') return Scan::other;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (digits() == 0 && at_ != end_) return Scan::other;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (digits() == 0 && at_ != end_) return Scan::other;
    }
    if (at_ == end_) return Scan::cut;
    out = std::string_view(begin, static_cast<size_t>(at_ - begin));
    return out == "-0" ? Scan::other : Scan::taken;
  }
  Scan word(std::string_view& out) {
    for (const std::string_view each : {"true", "false", "null"}) {
      if (static_cast<size_t>(end_ - at_) < each.size()) continue;
      if (std::string_view(at_, each.size()) != each) continue;
      at_ += each.size();
      out = each;
      return Scan::taken;
    }
    return end_ - at_ < 5 ? Scan::cut : Scan::other;
  }
  Scan scalar(std::string_view& out) {
    if (*at_ == '"') return text(out);
    if (*at_ == '-' || is_digit(*at_)) return number(out);
    return word(out);
  }

  Scan field(std::string_view key, std::string_view& value) {
    if (const Scan scan = scalar(value); scan != Scan::taken) return scan;
    set_event_field(key, value, event_);
    return Scan::taken;
  }

  Scan arguments() {
    ++at_;
    if (!blanks()) return Scan::cut;
    if (*at_ == '}') return ++at_, Scan::taken;
    while (true) {
      std::string_view key, value;
      if (const Scan scan = key_of(key); scan != Scan::taken) return scan;
      const bool nested = *at_ == '[' || *at_ == '{';
      raw_.clear();
      if (const Scan scan = nested ? list() : scalar(value); scan != Scan::taken) return scan;
      event_.add_argument(key, nested ? std::string_view(raw_) : value);
      bool more = false;
      if (const Scan next = comma(more); next != Scan::taken || !more) return next;
    }
  }

  // A list of scalars and lists, into raw_ without blanks. Objects are left to the other parser.
  Scan list() {
    size_t depth = 0;
    bool value = true;  // may come next
    do {
      if (!blanks()) return Scan::cut;
      const char c = *at_;
      if (c == '[' && value && depth < kDeepestList) {
        ++at_, ++depth;
        raw_.push_back(c);
        if (!blanks()) return Scan::cut;
        value = *at_ != ']';
      } else if (c == ']' && !value) {
        ++at_, --depth;
        raw_.push_back(c);
      } else if (c == ',' && !value) {
        ++at_;
        raw_.push_back(c);
        value = true;
      } else if (value) {
        const char* begin = at_;
        std::string_view of;
        if (const Scan scan = scalar(of); scan != Scan::taken) return scan;
        raw_.append(begin, at_);
        value = false;
      } else {
        return Scan::other;
      }
    } while (depth > 0);
    return Scan::taken;
  }

  const char* at_;
  const char* end_;
  JsonEvent& event_;
  std::string raw_;
};

}  // namespace

Scan scan_event(std::string_view text, JsonEvent& event, size_t& end) {
  Scanner scanner(text, event);
  const Scan out = scanner.event();
  end = static_cast<size_t>(scanner.at() - text.data());
  return out;
}

}  // namespace shardscope::inline measure
