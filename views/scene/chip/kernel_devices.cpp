// SPDX-License-Identifier: Apache-2.0
// Where the devices of a kernel stand, and the copies between them.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/chip/kernel_card.h"

namespace shardscope::inline views {
namespace {

constexpr int64_t kMostOnARow = 8;  // of a ring in two rows
constexpr int kCurvePieces = 14;    // of a copy's arc
constexpr int kMostTries = 40;      // to place a label
constexpr float kTryStep = 6;       // pixels

struct Place {
  int64_t row = 0, column = 0;
};
struct Places {
  int64_t rows = 1, columns = 1;
  std::vector<Place> of;  // by device
};

// A ring of four and more goes round: the first half to the right, the rest back below it.
Places places_of(const Mesh& mesh, int64_t devices) {
  Places out;
  const bool ring = mesh.rank() < 2;
  if (!ring) {
    out.columns = mesh.axis_size(mesh.rank() - 1);
  } else if (devices <= 3) {
    out.columns = devices;
  } else if (devices <= 2 * kMostOnARow) {
    out.columns = ceil_div(devices, 2);
  } else {
    out.columns = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(devices))));
  }
  out.rows = ceil_div(devices, out.columns);
  for (int64_t d = 0; d < devices; ++d) {
    Place place{d / out.columns, d % out.columns};
    if (ring && place.row % 2 == 1) place.column = out.columns - 1 - place.column;
    out.of.push_back(place);
  }
  return out;
}

class DmaPainter {
 public:
  DmaPainter(Pen& pen, const KernelViewInput& input, const KernelViewport& viewport,
             const std::vector<KernelCard>& cards)
      : pen_(pen), input_(input), viewport_(viewport), cards_(cards), texts_(texts_of(pen)) {
    if (!pen.theme.presented()) return;
    for (const KernelCard& card : cards)
      texts_.insert(texts_.end(), card.buffers.begin(), card.buffers.end());
  }

  void paint(const KernelDma& dma, bool landed) {
    const Point from = place(dma.source_device, dma.source_buffer, dma.source);
    const Point to = place(dma.target_device, dma.target_buffer, dma.target);
    const bool found = of_finding(dma);
    const bool chosen = is(viewport_.selected, dma) || is(viewport_.hovered, dma);
    const Color own = identity_color(pen_.theme, dma.source_device, static_cast<int>(cards_.size()));
    const Color color = found ? pen_.theme.warning : own;
    ItemId item;
    item.kind = ItemId::Kind::link;
    item.device = dma.source_device;
    item.index = dma.number;
    const int32_t id = pen_.id(item);
    if (chosen || landed) {
      outline(dma.source_device, dma.source_buffer, dma.source, color);
      outline(dma.target_device, dma.target_buffer, dma.target, color);
    }
    const Curve curve = bend(from, to, earlier_between(dma));
    LineItem line;
    line.points = curve.points;
    line.color = color;
    line.width = pen_.px(chosen || found || landed ? 3.5F : 2);
    line.dashed = !dma.read && !landed;  // nothing has left the source yet
    line.arrow = true;
    line.id = id;
    pen_.scene.add(line);
    if (!landed)
      pen_.mark(dma.read ? Mark::copy_read : Mark::copy_started, {curve.middle.x, curve.middle.y, 2, 2});
    const std::string label = say("DMA {}{}", dma.number, landed ? said(" landed") : "");
    const float width = pen_.width(label, 0.8F, bold_if(found)) + pen_.px(8);
    RectItem plate;
    plate.rect = free_plate(curve, {width, std::max(pen_.px(16), pen_.text_px(0.8F) * 1.15F)});
    const Point middle{plate.rect.x + width / 2, plate.rect.y + plate.rect.h / 2};
    plate.fill = pen_.theme.background;
    plate.border = color;
    plate.border_width = pen_.px(1);
    plate.radius = pen_.px(4);
    plate.id = id;
    pen_.scene.add(plate);
    pen_.text(middle, label,
              {found ? pen_.theme.warning : pen_.theme.text, 0.8F, Align::center, bold_if(found)});
    pen_.accessible(plate.rect, id,
                    say("DMA {}, device {} to {}, {}, started at line {}", dma.number, dma.source_device,
                        dma.target_device,
                        landed     ? "landed"
                        : dma.read ? said("read, not yet written")
                                   : "started",
                        dma.line));
  }

 private:
  struct Curve {
    std::vector<Point> points;
    Point middle;
  };
  // An arc to the right of the way, further out for every copy that takes the same one already.
  Curve bend(Point from, Point to, int earlier) const {
    const float dx = to.x - from.x, dy = to.y - from.y;
    const float length = std::max(1.0F, std::hypot(dx, dy));
    const float out =
        std::min(length * 0.1F + pen_.px(10), pen_.px(40)) + pen_.px(22) * static_cast<float>(earlier);
    const Point side{-dy / length * 2 * out, dx / length * 2 * out};
    const Point control{(from.x + to.x) / 2 + side.x, (from.y + to.y) / 2 + side.y};
    Curve curve;
    for (int i = 0; i <= kCurvePieces; ++i) {
      const float t = static_cast<float>(i) / kCurvePieces, s = 1 - t;
      curve.points.push_back({s * s * from.x + 2 * s * t * control.x + t * t * to.x,
                              s * s * from.y + 2 * s * t * control.y + t * t * to.y});
    }
    curve.middle = curve.points[kCurvePieces / 2];
    return curve;
  }
  // On the arc, as near its middle as no other label stands; an arc may leave the area, its label does not.
  Rect free_plate(const Curve& curve, Point size) {
    const auto at = [&](size_t point) {
      const Point p = curve.points[point];
      const float most = pen_.canvas.width - pen_.px(14) - size.x / 2;
      return Rect{std::min(p.x, most) - size.x / 2, p.y - size.y / 2, size.x, size.y};
    };
    const auto taken = [&](const Rect& r) {
      const auto meets = [&](const Rect& other) {
        return r.x < other.right() && other.x < r.right() && r.y < other.bottom() && other.y < r.bottom();
      };
      return std::ranges::any_of(plates_, meets) || std::ranges::any_of(texts_, meets);
    };
    constexpr size_t kMiddle = kCurvePieces / 2;
    Rect out = at(kMiddle);
    for (size_t off = 0; off < kMiddle && taken(out); ++off)
      for (const size_t point : {kMiddle - off, kMiddle + off})
        if (taken(out)) out = at(point);
    out = next_free(out, taken);
    plates_.push_back(out);
    return out;
  }
  // Below it or above it, whichever is nearer.
  template <class Taken>
  Rect next_free(Rect from, const Taken& taken) const {
    for (int i = 0; i < 2 * kMostTries; ++i) {
      Rect at = from;
      at.y += static_cast<float>(i % 2 == 0 ? i / 2 : -(i + 1) / 2) * kTryStep;
      if (!taken(at) && at.y > 0 && at.bottom() < pen_.canvas.height) return at;
    }
    return from;
  }
  // Of the cards, which no label covers before a class.
  static std::vector<Rect> texts_of(const Pen& pen) {
    std::vector<Rect> out;
    if (!pen.theme.presented()) return out;
    for (const TextItem& text : pen.scene.texts()) {
      const float width = pen.canvas.measure(text.text, text.px, text.face);
      const float left = text.align == Align::center  ? text.at.x - width / 2
                         : text.align == Align::right ? text.at.x - width
                                                      : text.at.x;
      out.push_back({left, text.at.y - text.px / 2, width, text.px});
    }
    return out;
  }
  int earlier_between(const KernelDma& dma) const {
    int count = 0;
    for (const KernelDma& other : input_.frame.in_flight) {
      count += other.number < dma.number && other.source_device == dma.source_device &&
               other.target_device == dma.target_device;
    }
    return count;
  }
  static bool is(const ItemId& item, const KernelDma& dma) {
    return item.kind == ItemId::Kind::link && item.index == dma.number;
  }
  bool of_finding(const KernelDma& dma) const {
    if (input_.finding == nullptr) return false;
    return input_.finding->first.dma == dma.number || input_.finding->second.dma == dma.number;
  }
  // A part of a buffer as it is drawn: by its rows.
  Rect part(int32_t device, int32_t buffer, const Box& box) const {
    const Rect& at = cards_[static_cast<size_t>(device)].buffers[static_cast<size_t>(buffer)];
    if (at.w <= 0) return {};
    const double rows = static_cast<double>(input_.layout.buffers[static_cast<size_t>(buffer)].rows);
    const double first = std::clamp(static_cast<double>(box.row) / rows, 0.0, 1.0);
    const double share = std::clamp(static_cast<double>(box.rows) / rows, 0.0, 1.0 - first);
    return {at.x + at.w * static_cast<float>(first), at.y, at.w * static_cast<float>(share), at.h};
  }
  Point place(int32_t device, int32_t buffer, const Box& box) const {
    Rect at = part(device, buffer, box);
    if (at.w <= 0) at = cards_[static_cast<size_t>(device)].rect;  // not drawn: the card stands for it
    return {at.x + at.w / 2, at.y + at.h / 2};
  }
  void outline(int32_t device, int32_t buffer, const Box& box, Color color) {
    const Rect at = part(device, buffer, box);
    if (at.w > 0) pen_.outline(at, color, pen_.px(2));
  }

  Pen& pen_;
  const KernelViewInput& input_;
  const KernelViewport& viewport_;
  const std::vector<KernelCard>& cards_;
  std::vector<Rect> plates_, texts_;  // labels so far; words of the cards
};

// From each device of a ring to the one that texts call its right neighbour, through the gap between them.
void draw_ring_arrows(Pen& pen, const Places& places, const std::vector<KernelCard>& cards, float gap) {
  for (size_t d = 0; d < cards.size(); ++d) {
    const size_t next = (d + 1) % cards.size();
    const Place &from = places.of[d], &to = places.of[next];
    const Rect &a = cards[d].rect, &b = cards[next].rect;
    const Color color = mixed(pen.theme.rule, pen.theme.text, 0.4);
    if (from.row == to.row && std::abs(from.column - to.column) == 1) {
      const bool right = b.x > a.x;
      const float y = a.y + a.h / 2;
      pen.arrow({right ? a.right() : a.x, y}, {right ? b.x : b.right(), y}, color, pen.px(2.5F));
    } else if (from.column == to.column && std::abs(from.row - to.row) == 1) {
      const bool down = b.y > a.y;
      const float x = a.x + a.w / 2 + (down ? gap / 2 : -gap / 2);
      pen.arrow({x, down ? a.bottom() : a.y}, {x, down ? b.y : b.bottom()}, color, pen.px(2.5F));
    }
  }
}

}  // namespace

std::vector<KernelCard> draw_kernel_devices(Pen& pen, const KernelViewInput& input,
                                            const KernelViewport& viewport, const Rect& area) {
  const Places places = places_of(input.layout.mesh, static_cast<int64_t>(input.frame.devices.size()));
  const float gap = pen.px(18), edge = pen.px(2);  // a thick outline stays inside
  const auto columns = static_cast<float>(places.columns), rows = static_cast<float>(places.rows);
  const float width = std::max(0.0F, (area.w - 2 * edge) * viewport.zoom - gap * (columns - 1)) / columns;
  const float height = std::max(0.0F, (area.h - 2 * edge) * viewport.zoom - gap * (rows - 1)) / rows;
  std::vector<KernelCard> cards;
  for (size_t d = 0; d < places.of.size(); ++d) {
    const Rect rect{area.x + edge + viewport.pan.x + (width + gap) * static_cast<float>(places.of[d].column),
                    area.y + edge + viewport.pan.y + (height + gap) * static_cast<float>(places.of[d].row),
                    width, height};
    cards.push_back(KernelCardPainter(pen, input, viewport, static_cast<int32_t>(d), rect).paint());
  }
  if (input.layout.mesh.rank() < 2 && cards.size() > 2) draw_ring_arrows(pen, places, cards, gap);
  return cards;
}

void draw_kernel_dmas(Pen& pen, const KernelViewInput& input, const KernelViewport& viewport,
                      const std::vector<KernelCard>& cards) {
  DmaPainter painter(pen, input, viewport, cards);
  for (const KernelDma& dma : input.frame.in_flight) painter.paint(dma, false);
  if (input.frame.landed) painter.paint(*input.frame.landed, true);
}

}  // namespace shardscope::inline views
