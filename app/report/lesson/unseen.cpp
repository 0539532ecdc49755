// SPDX-License-Identifier: Apache-2.0
// What of a presented picture is not to be seen.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

#include "app/report/lesson/presented_pictures.h"

namespace shardscope::inline app_report {
namespace {

constexpr float kSlack = 1.5F;    // pixels
constexpr float kCovered = 0.3F;  // of a letter, from where on two texts cover each other

Rect both(const Rect& a, const Rect& b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x),
          std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

bool inside(const Rect& part, const Rect& whole) {
  return part.x >= whole.x - kSlack && part.y >= whole.y - kSlack && part.right() <= whole.right() + kSlack &&
         part.bottom() <= whole.bottom() + kSlack;
}

Rect box_of(const TextItem& text, const Canvas& to) {
  const float width = to.measure(text.text, text.px, text.face);
  const float left = text.at.x - (text.align == Align::center  ? width / 2
                                  : text.align == Align::right ? width
                                                               : 0);
  return {left, text.at.y - text.px * 0.4F, width, text.px * 0.8F};
}

// "+3": that there is more; "all-gath…": that it was cut; that one has to move the picture.
bool says_there_is_more(const std::string& text) {
  size_t digits = 1;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) ++digits;
  const bool counts = digits == text.size() || text[digits] == ' ';  // "+3 names", not "+1.0000010"
  if ((text.starts_with('+') && counts) || text.ends_with(" +") || text.ends_with("…")) return true;
  return std::ranges::any_of(std::initializer_list<const char*>{"drag", "zoom in", "scroll"},
                             [&](const char* word) { return text.find(word) != std::string::npos; });
}

class Unseen {
 public:
  Unseen(const std::string& view, const Scene& scene, const Canvas& to)
      : view_(view), scene_(scene), to_(to) {}

  std::vector<std::string> find() {
    std::vector<Rect> clips{{0, 0, scene_.width, scene_.height}};
    for (const DrawRef ref : scene_.order()) {
      const auto place = static_cast<size_t>(ref.index);
      if (ref.kind == DrawRef::Kind::clip) {
        const Rect& clip = scene_.clips()[place].rect;
        clip.w < 0 ? clips.pop_back() : clips.push_back(both(clips.back(), clip));
      } else if (ref.kind == DrawRef::Kind::rect) {
        cover(both(scene_.rects()[place].rect, clips.back()), scene_.rects()[place].fill);
      } else if (ref.kind == DrawRef::Kind::text) {
        write(scene_.texts()[place], clips.back());
      }
    }
    return {out_.begin(), out_.end()};
  }

 private:
  struct Written {
    Rect box;
    const TextItem* text = nullptr;
  };

  void write(const TextItem& text, const Rect& clip) {
    const Rect box = box_of(text, to_);
    if (!inside(box, clip)) say(fmt::format("'{}' is outside of the picture", text.text));
    if (text.px < to_.theme.least_px - 0.01F)
      say(fmt::format("'{}' is {:.0f} px high, at least {:.0f} can be read from the last row", text.text,
                      text.px, to_.theme.least_px));
    if (says_there_is_more(text.text)) say(fmt::format("not all of it fits: '{}'", text.text));
    for (const Written& other : written_) {
      const Rect shared = both(box, other.box);
      if (shared.w > text.px * kCovered && shared.h > text.px * kCovered)
        say(fmt::format("'{}' covers '{}'", text.text, other.text->text));
    }
    written_.push_back({box, &text});
  }

  // What is drawn over all of a text takes its place; over a part of it, it is a fault.
  void cover(const Rect& r, Color fill) {
    if (fill.a < 250) return;
    std::erase_if(written_, [&](const Written& w) {
      const Rect shared = both(r, w.box);
      if (shared.w <= w.text->px * kCovered || shared.h <= w.text->px * kCovered) return false;
      if (inside(w.box, r)) return true;
      say(fmt::format("'{}' is covered in part", w.text->text));
      return true;
    });
  }

  void say(const std::string& what) { out_.insert(view_ + ": " + what); }

  const std::string& view_;
  const Scene& scene_;
  const Canvas& to_;
  std::vector<Written> written_;
  std::set<std::string> out_;
};

}  // namespace

std::vector<std::string> unseen(const std::string& view, const Scene& scene, const Canvas& canvas) {
  return Unseen(view, scene, canvas).find();
}

}  // namespace shardscope::inline app_report
