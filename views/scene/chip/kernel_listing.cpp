// SPDX-License-Identifier: Apache-2.0
// The kernel's text with the devices that stand on its lines.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/chip/kernel_parts.h"

namespace shardscope::inline views {
namespace {

constexpr float kRow = 17;

float marks_width(const Pen& pen, const KernelViewInput& input, size_t most) {
  return pen.px(15) * static_cast<float>(std::min(input.frame.devices.size(), most)) + pen.px(4);
}

size_t most_marks_in(const Pen& pen, const Rect& area) {
  return area.w < pen.px(330) ? 2 : 4;
}

// "1", "2" or "1 2": which accesses of the finding looked at stand on this line.
std::string access_marks(const KernelViewInput& input, int32_t line) {
  std::string out;
  if (input.finding == nullptr) return out;
  if (input.finding->first.line == line) out = "1";
  if (input.finding->second.device >= 0 && input.finding->second.line == line)
    out += out.empty() ? "2" : " 2";
  return out;
}

// The listing in rows: a long line has several.
class ListingRows {
 public:
  ListingRows(const Pen& pen, const KernelViewInput& input, const Rect& area)
      : fit_(std::max(1, static_cast<int32_t>(area.h / pen.px(kRow)))),
        top_(input.bare ? input.layout.listing.head + 1 : 1) {
    const float left = marks_width(pen, input, most_marks_in(pen, area)) + pen.px(28);
    for (const std::string& line : input.layout.listing.lines) {
      const std::string marks = access_marks(input, static_cast<int32_t>(rows_.size()) + 1);
      const float right = marks.empty() ? 0 : pen.width(marks, 0.85F, Face::bold) + pen.px(12);
      rows_.push_back(code_rows(pen, line, area.w - left - right, kCodeSize));
    }
  }

  const std::vector<std::string>& of(int32_t line) const { return rows_[static_cast<size_t>(line) - 1]; }
  int32_t lines() const { return static_cast<int32_t>(rows_.size()); }
  int32_t fit() const { return fit_; }
  int32_t top() const { return std::min(top_, std::max(1, lines())); }  // the first line that is shown at all
  // Of the lines up to and with `last`, how many fit.
  int32_t lines_up_to(int32_t last) const {
    int32_t rows = 0, line = last;
    while (line >= top() && rows + static_cast<int32_t>(of(line).size()) <= fit_)
      rows += static_cast<int32_t>(of(line--).size());
    return std::max(1, last - line);
  }

 private:
  int32_t fit_, top_;
  std::vector<std::vector<std::string>> rows_;  // by line
};

// The first line shown so that most devices' lines, or those of the finding looked at, are in sight.
int32_t first_shown(const KernelViewInput& input, const KernelViewport& viewport, const ListingRows& rows) {
  int32_t first = viewport.first_line;
  if (first <= 0) {
    int32_t least = rows.lines() + 1, most = 0;
    const auto see = [&](int32_t line) {
      if (line <= 0) return;
      least = std::min(least, line);
      most = std::max(most, line);
    };
    if (viewport.selected.kind == ItemId::Kind::instruction) {
      see(viewport.selected.index);
    } else if (input.finding != nullptr) {
      see(input.finding->first.line);
      see(input.finding->second.line);
    }
    if (most == 0) {
      for (const KernelDeviceState& device : input.frame.devices) see(device.line);
    }
    most = std::min(most, rows.lines());
    if (most > 0) first = std::min(least, std::max(1, (least + most) / 2 - rows.fit() / 2));
    // Long lines above push it out of sight.
    if (most > 0) first = std::max(first, std::min(least, most - rows.lines_up_to(most) + 1));
  }
  const int32_t top = rows.top();
  return std::clamp(first, top, std::max(top, rows.lines() - rows.lines_up_to(rows.lines()) + 1));
}

// A mark for each device that stands on the line, the last an ellipsis when there are more.
void draw_marks(Pen& pen, const Rect& at, const std::vector<int32_t>& here, size_t most_marks,
                int32_t devices) {
  for (size_t i = 0; i < here.size() && i < most_marks; ++i) {
    const Point center{at.x + pen.px(8) + pen.px(15) * static_cast<float>(i), at.y + at.h / 2};
    const bool more = i + 1 == most_marks && here.size() > most_marks;
    const Color color = more ? pen.theme.muted_text : identity_color(pen.theme, here[i], devices);
    CircleItem mark;
    mark.center = center;
    mark.radius = pen.px(7);
    mark.fill = color;
    pen.scene.add(mark);
    pen.text(center, more ? std::string("…") : fmt::format("{}", here[i]),
             {text_on(pen.theme, color), 0.75F, Align::center, Face::bold});
  }
}

// Its twin has this line otherwise.
void mark_unlike(Pen& pen, const Rect& at, int32_t id) {
  pen.rect(at, with_alpha(pen.theme.selection, 0.14), id);
  pen.rect({at.x, at.y, pen.px(3), at.h}, pen.theme.selection, id);
  pen.accessible(at, id, said("the twin has this line otherwise"));
}

}  // namespace

int32_t last_lines_that_fit(const Pen& pen, const KernelViewInput& input, const Rect& listing) {
  const ListingRows rows(pen, input, listing);
  return rows.lines() == 0 ? rows.fit() : rows.lines_up_to(rows.lines());
}

void draw_kernel_listing(Pen& pen, const KernelViewInput& input, const KernelViewport& viewport,
                         const KernelAreas& areas) {
  const Rect& area = areas.listing;
  const float row = pen.px(kRow);
  const ListingRows rows(pen, input, area);
  const int32_t devices = static_cast<int32_t>(input.frame.devices.size());
  const size_t most_marks = most_marks_in(pen, area);
  const float marks = marks_width(pen, input, most_marks);
  const int32_t moved = input.frame.moved_device;
  pen.scene.push_clip(area);
  if (rows.lines() == 0)
    pen.text({area.x, area.y + row / 2}, said("no text of this kernel is at hand"), {pen.theme.muted_text});
  float y = area.y;
  for (int32_t line = first_shown(input, viewport, rows); line <= rows.lines() && y + row <= area.bottom();
       ++line) {
    const Rect at{area.x, y, area.w, row * static_cast<float>(rows.of(line).size())};
    // Before a class a line is seen whole, or not yet.
    if (pen.theme.presented() && at.bottom() > area.bottom() + 1 && y > area.y) break;
    const Rect first_row{at.x, at.y, at.w, row};
    y += at.h;
    std::vector<int32_t> here;
    for (int32_t d = 0; d < devices; ++d) {
      if (input.frame.devices[static_cast<size_t>(d)].line == line) here.push_back(d);
    }
    // The lifted device's mark is not the one that an ellipsis swallows.
    if (here.size() > most_marks)
      std::stable_partition(here.begin(), here.end(), [&](int32_t d) {
        return d == moved ||
               (viewport.selected.kind == ItemId::Kind::device && viewport.selected.device == d);
      });
    const std::string accesses = access_marks(input, line);
    ItemId item;
    item.kind = ItemId::Kind::instruction;
    item.index = line;
    const int32_t id = pen.id(item);
    if (!here.empty() || item == viewport.hovered || item == viewport.selected)
      pen.rect(at, with_alpha(pen.theme.selection, here.empty() ? 0.08 : 0.18), id);
    if (!accesses.empty()) {
      pen.rect(at, with_alpha(pen.theme.warning, 0.14), id);
      pen.outline(at, pen.theme.warning, pen.px(1.5F), id);
    }
    if (std::ranges::binary_search(input.unlike, line)) mark_unlike(pen, at, id);
    draw_marks(pen, first_row, here, most_marks, devices);
    pen.text({at.x + marks + pen.px(20), at.y + row / 2}, fmt::format("{}", line),
             {pen.theme.muted_text, 0.85F, Align::right, Face::mono});
    const float text_x = marks + pen.px(28);
    for (size_t k = 0; k < rows.of(line).size(); ++k)
      pen.text({at.x + text_x, at.y + row * (static_cast<float>(k) + 0.5F)}, rows.of(line)[k],
               {here.empty() && accesses.empty() ? pen.theme.muted_text : pen.theme.text, kCodeSize,
                Align::left, Face::mono});
    if (!accesses.empty())
      pen.text({at.right() - pen.px(6), at.y + row / 2}, accesses,
               {pen.theme.warning, 0.85F, Align::right, Face::bold});
    if (here.empty() && accesses.empty()) continue;
    std::string name = say("line {}, {} here", line, counted(here.size(), "device"));
    if (!accesses.empty()) name += said(", access ") + accesses + said(" of the finding");
    pen.accessible(at, id, name);
  }
  pen.scene.pop_clip();
}

}  // namespace shardscope::inline views
