// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "engine/base/say.h"
#include "views/scene/charts/memory_layers.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/ticks.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline views {
namespace {

constexpr double kKiB = 1024;

// A round number of a binary unit.
double byte_step(double span, int most) {
  double unit = 1;
  while (span / most > unit * kKiB) unit *= kKiB;
  double step = unit;
  while (span / step > most) step *= 2;
  return step;
}

int32_t memory_device(const ViewInput& input, const Selection& selection) {
  for (const ItemId* item : {&selection.selected, &selection.hovered}) {
    if (item->device >= 0 && static_cast<size_t>(item->device) < input.run.timeline.memory.size())
      return item->device;
  }
  int32_t fullest = 0;
  const auto& totals = input.run.timeline.totals;
  for (size_t d = 1; d < totals.size(); ++d) {
    if (totals[d].peak_bytes > totals[static_cast<size_t>(fullest)].peak_bytes)
      fullest = static_cast<int32_t>(d);
  }
  return fullest;
}

constexpr size_t kMostLayers = 8;  // as many as there are identities with a colour of their own

Color layer_color(const Theme& theme, const MemoryLayers& layers, size_t layer) {
  if (layers.layers[layer].instruction < 0) return theme.compute;
  return identity_color(theme, static_cast<int>(layer), kMostLayers);
}

// Where things are drawn, and how much a pixel is.
struct MemoryPlot {
  Rect plot;
  TimeAxis axis;
  double top = 1;  // bytes
  float y_of(double bytes) const { return plot.bottom() - static_cast<float>(bytes / top) * plot.h; }
};

// One column of the picture: the span with the most bytes among those that fall into it.
struct Column {
  float left = 0, right = 0;
  const MemorySpan* span = nullptr;
};

std::vector<Column> columns_of(const MemoryLayers& layers, const MemoryPlot& p) {
  std::vector<Column> out;
  for (const MemorySpan& span : layers.spans) {
    if (span.end < p.axis.range.start || span.start > p.axis.range.end) continue;
    const float left = std::max(p.plot.x, p.axis.x_of(span.start));
    const float right = std::min(p.plot.right(), p.axis.x_of(span.end));
    if (!out.empty() && right - out.back().left < 1) {
      Column& column = out.back();
      column.right = std::max(column.right, right);
      if (span.total() > column.span->total()) column.span = &span;
      continue;
    }
    out.push_back({left, right, &span});
  }
  return out;
}

// The layers above each other, each with its name where it is widest and tall enough.
void draw_layers(Pen& pen, const MemoryLayers& layers, const MemoryPlot& p, int32_t device) {
  const std::vector<Column> columns = columns_of(layers, p);
  std::vector<Rect> widest(layers.layers.size());
  for (size_t layer = 0; layer < layers.layers.size(); ++layer) {
    const Color color = layer_color(pen.theme, layers, layer);
    ItemId item;
    item.kind = ItemId::Kind::buffer;
    item.device = device;
    item.instruction = layers.layers[layer].instruction;
    item.index = static_cast<int32_t>(layer);
    const int32_t id = pen.id(item);
    Rect run;  // equal neighbours are one rectangle
    const auto flush = [&] {
      if (run.h <= 0 || run.w <= 0) return;
      pen.rect(run, color, id);
      if (run.w > widest[layer].w && run.h >= pen.text_px(0.85F)) widest[layer] = run;
    };
    for (const Column& column : columns) {
      const auto begin = column.span->bytes.begin();
      const auto below = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(layer), int64_t{0});
      const float bottom = p.y_of(static_cast<double>(below));
      const float top = p.y_of(static_cast<double>(below + column.span->bytes[layer]));
      if (run.y == top && run.h == bottom - top && column.left - run.right() < 0.01F) {
        run.w = column.right - run.x;
      } else {
        flush();
        run = {column.left, top, column.right - column.left, bottom - top};
      }
    }
    flush();
  }
  for (size_t layer = 0; layer < layers.layers.size(); ++layer) {
    const std::string& name = layers.layers[layer].name;
    const float room = widest[layer].w - pen.px(8);
    pen.text_in(widest[layer],
                pen.theme.presented() ? pen.fitting({name}, room, 0.85F) : pen.elided(name, room, 0.85F),
                {text_on(pen.theme, layer_color(pen.theme, layers, layer)), 0.85F, Align::center});
  }
  LineItem outline{{}, pen.theme.text, 1.5F, false, false, -1};
  for (const Column& column : columns) {
    const float y = p.y_of(static_cast<double>(column.span->total()));
    outline.points.push_back({column.left, y});
    outline.points.push_back({column.right, y});
  }
  pen.scene.add(outline);
}

// Beside the plot, top of the pile first: colour, what it holds, its bytes at the peak.
void draw_legend(Pen& pen, const MemoryLayers& layers, const Rect& box) {
  float y = box.y + pen.px(9);
  pen.text({box.x, y}, pen.elided(said("held at the peak"), box.w, 0.85F),
           {pen.theme.muted_text, 0.85F, Align::left});
  const bool whole = pen.theme.presented();
  for (size_t layer = layers.layers.size(); layer-- > 0;) {
    y += pen.px(18);
    if (y > box.bottom()) return;
    const MemoryLayer& l = layers.layers[layer];
    pen.rect({box.x, y - pen.px(5), pen.px(10), pen.px(10)}, layer_color(pen.theme, layers, layer));
    const std::string bytes = format_bytes(static_cast<double>(l.peak_bytes));
    pen.text({box.right(), y}, bytes, {pen.theme.text, 0.85F, Align::right});
    const float room = box.w - pen.px(24) - pen.width(bytes, 0.85F);
    pen.accessible({box.x, y - pen.px(9), box.w, pen.px(18)}, -1,
                   l.name + ", " + bytes + said(" at the peak"));
    const auto lines = whole ? wrapped_lines(l.name, pen.text_px(0.85F), room, pen.canvas.measure)
                             : std::vector<std::string>{pen.elided(l.name, room, 0.85F)};
    for (const std::string& line : lines) {
      pen.text({box.x + pen.px(15), y}, line, {pen.theme.text, 0.85F, Align::left});
      if (&line != &lines.back()) y += pen.px(15);
    }
  }
}

// The largest of what is held at the peak: "X, as stored 2.0 MiB, gather W over row 1.0 MiB and 4 more".
std::string holders_text(const MemoryLayers& layers) {
  std::vector<const MemoryLayer*> held;
  for (const MemoryLayer& l : layers.layers) {
    if (l.peak_bytes > 0) held.push_back(&l);
  }
  std::stable_sort(held.begin(), held.end(),
                   [](const MemoryLayer* a, const MemoryLayer* b) { return a->peak_bytes > b->peak_bytes; });
  std::string out;
  for (size_t i = 0; i < held.size() && i < 3; ++i)
    out += (i ? "; " : "") + held[i]->name + " " + format_bytes(static_cast<double>(held[i]->peak_bytes));
  if (held.size() > 3) out += say(" and {} more", held.size() - 3);
  return out;
}

// Without a record of buffers: the curve alone.
void draw_curve(Pen& pen, const std::vector<MemoryPoint>& points, const MemoryPlot& p) {
  MemoryLayers one{{{"everything", 0, 0, 0}}, {}};
  for (size_t i = 0; i < points.size(); ++i)
    one.spans.push_back(
        {points[i].time, i + 1 < points.size() ? points[i + 1].time : p.axis.range.end, {points[i].bytes}});
  draw_layers(pen, one, p, -1);
}

void draw_title(Pen& pen, const ViewInput& input, int32_t device, const MemoryPoint& peak,
                const std::string& holders) {
  const auto peak_bytes = static_cast<double>(std::max<int64_t>(1, peak.bytes));
  const std::optional<double> capacity = input.run.hardware.memory.hbm_bytes;
  const bool fits = !capacity || peak_bytes <= *capacity;
  std::string title = say("device {}: peak {} at {}", device_name(input.run.mesh, device),
                          format_bytes(peak_bytes), format_picoseconds(peak.time));
  if (capacity && fits)
    title += say(", {} of {} HBM", format_percent(peak_bytes / *capacity), format_bytes(*capacity));
  if (!fits) title += say(": does not fit the chip's {} of HBM", format_bytes(*capacity));
  const float room = pen.canvas.width - pen.px(24);
  if (pen.theme.presented()) {
    const std::string short_title = title.substr(0, title.find(", ")),
                      least = title.substr(0, title.find(" at "));
    const std::string fitting = pen.fitting({title, short_title, least}, room, 1, Face::bold);
    pen.text({pen.px(12), pen.px(14)},
             !fits             ? title
             : fitting.empty() ? least
                               : fitting,
             {fits ? pen.theme.text : pen.theme.warning, 1, Align::left, Face::bold});
    pen.accessible({0, 0, pen.canvas.width, pen.px(44)}, -1,
                   title + (holders.empty() ? "" : said("; held by ") + holders));
    return;
  }
  pen.text({pen.px(12), pen.px(14)}, pen.elided(title, room, 1, Face::bold),
           {fits ? pen.theme.text : pen.theme.warning, 1, Align::left, Face::bold});
  pen.text({pen.px(12), pen.px(32)},
           pen.elided(holders.empty() ? "" : said("held at the peak: ") + holders, room),
           {pen.theme.muted_text, 1, Align::left});
  pen.accessible({0, 0, pen.canvas.width, pen.px(44)}, -1,
                 title + (holders.empty() ? "" : said("; held by ") + holders));
}

void draw_capacity(Pen& pen, const MemoryPlot& p, double capacity) {
  const float y = p.y_of(capacity);
  pen.scene.add(LineItem{{{p.plot.x, y}, {p.plot.right(), y}}, pen.theme.warning, 2, true, false, -1});
  const std::string label = "HBM " + format_bytes(capacity);
  const Rect box{p.plot.right() - pen.width(label, 0.85F, Face::bold) - pen.px(10), y + pen.px(3),
                 pen.width(label, 0.85F, Face::bold) + pen.px(8), pen.px(16)};
  pen.rect(box, pen.theme.background);
  pen.text_in(box, label, {pen.theme.warning, 0.85F, Align::center, Face::bold});
}

// Not clipped: it may stand on the plot's edge.
void draw_peak(Pen& pen, const MemoryPlot& p, const MemoryPoint& peak, int32_t device) {
  if (peak.time < p.axis.range.start || peak.time > p.axis.range.end) return;
  ItemId item;
  item.kind = ItemId::Kind::buffer;
  item.device = device;
  const Point at{p.axis.x_of(peak.time), p.y_of(static_cast<double>(peak.bytes))};
  const int32_t id = pen.id(item);
  const std::string label = said("peak ") + format_bytes(static_cast<double>(peak.bytes));
  pen.scene.add(CircleItem{at, pen.px(4), pen.theme.critical, pen.theme.background, 1.5F, id});
  pen.accessible({at.x - 4, at.y - 4, 8, 8}, id, label);
  const float width = pen.width(label, 0.85F, Face::bold);
  pen.text(
      {std::clamp(at.x, p.plot.x + width / 2, std::max(p.plot.x + width / 2, p.plot.right() - width / 2)),
       at.y - pen.px(11)},
      label, {pen.theme.text, 0.85F, Align::center, Face::bold});
}

// Round sizes to the left, round times below.
void draw_axes(Pen& pen, const MemoryPlot& p) {
  const double step = byte_step(p.top, std::max(1, static_cast<int>(p.plot.h / pen.px(40))));
  for (double b = 0; b <= p.top; b += step) {
    pen.line({p.plot.x, p.y_of(b)}, {p.plot.right(), p.y_of(b)}, pen.theme.rule);
    pen.text({p.plot.x - pen.px(6), p.y_of(b)}, format_bytes(b), {pen.theme.muted_text, 0.85F, Align::right});
  }
  for (const TimeTick& tick :
       time_ticks(p.axis.range, std::max(1, static_cast<int>(p.plot.w / pen.px(90))))) {
    const float half = pen.width(tick.label, 0.85F) / 2;
    pen.text({std::clamp(p.axis.x_of(tick.time), half + 2, std::max(half + 2, pen.canvas.width - half - 2)),
              p.plot.bottom() + pen.px(12)},
             tick.label, {pen.theme.muted_text, 0.85F, Align::center});
  }
}

}  // namespace

Scene layout_memory(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                    const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const int32_t device = memory_device(input, selection);
  const auto& memory = input.run.timeline.memory;
  if (static_cast<size_t>(device) >= memory.size() || memory[static_cast<size_t>(device)].empty()) {
    pen.empty_state(said("Memory over time shows what each device holds, and its peak"),
                    is_unread(input) ? why_unread(input) : said("This run kept no memory record."));
    return scene;
  }
  const std::vector<MemoryPoint>& points = memory[static_cast<size_t>(device)];
  MemoryPoint peak = points.front();
  for (const MemoryPoint& p : points) {
    if (p.bytes > peak.bytes) peak = p;
  }
  // The capacity is drawn when it is near; far above, it would flatten the curve and is named instead.
  const std::optional<double> capacity = input.run.hardware.memory.hbm_bytes;
  const auto peak_bytes = static_cast<double>(std::max<int64_t>(1, peak.bytes));
  const bool near = capacity && *capacity < 4 * peak_bytes;
  const double top = (near ? std::max(*capacity, peak_bytes) : peak_bytes) * 1.12;
  const MemoryLayers layers = memory_layers(input, device, kMostLayers);
  const float left = pen.px(78);
  const bool wide = canvas.width >= pen.px(pen.theme.presented() ? 340 : 560) && !layers.layers.empty();
  const bool presented = pen.theme.presented();
  // Room for the last label of the ruler and the dot.
  const float right = !wide ? pen.px(28) : presented ? canvas.width * 0.38F : pen.px(230);
  const float above = pen.px(presented ? 34 : 52);
  MemoryPlot p;
  p.plot = {left, above, std::max(1.0F, canvas.width - left - right),
            std::max(1.0F, canvas.height - above - pen.px(30))};
  const TimeRange range = viewport.range.length() > 0
                              ? viewport.range
                              : TimeRange{0, std::max<Picoseconds>(1, input.trace.total())};
  p.axis = {p.plot.x, p.plot.w, range};
  p.top = top;
  draw_title(pen, input, device, peak, holders_text(layers));
  draw_axes(pen, p);
  pen.scene.push_clip(p.plot);
  if (layers.layers.empty()) {
    draw_curve(pen, points, p);
  } else {
    draw_layers(pen, layers, p, device);
  }
  if (near) draw_capacity(pen, p, *capacity);
  const float now = p.axis.x_of(selection.time);
  pen.line({now, p.plot.y}, {now, p.plot.bottom()}, pen.theme.focus, 2);
  pen.scene.pop_clip();
  draw_peak(pen, p, peak, device);
  if (presented && !wide && !layers.layers.empty())
    pen.text({canvas.width - pen.px(8), pen.px(30)}, "+" + counted(layers.layers.size(), "name"),
             {pen.theme.warning, 0.85F, Align::right});
  if (wide) draw_legend(pen, layers, {p.plot.right() + pen.px(20), p.plot.y, right - pen.px(32), p.plot.h});
  return scene;
}

}  // namespace shardscope::inline views
