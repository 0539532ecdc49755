// SPDX-License-Identifier: Apache-2.0
#include "views/scene/ring/ring_table.h"

#include <algorithm>
#include <fmt/format.h>

#include "views/scene/story/blocks.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

// What a device sends in a step, to whom.
struct Sent {
  std::string blocks;  // "w0 w1"
  std::vector<int32_t> targets;
  int32_t owner = -1;

  // " →5", " →7 devices".
  std::string arrow(const Mesh& mesh) const {
    if (targets.size() > 1) return fmt::format(" →{} devices", targets.size());
    return " →" + device_name(mesh, targets.front());
  }
  // The same in less room: "→5", "→×7".
  std::string short_arrow(const Mesh& mesh) const {
    if (targets.size() > 1) return fmt::format("→×{}", targets.size());
    return "→" + device_name(mesh, targets.front());
  }
};

// Whether a step goes anywhere but to neighbours, so that the sender's column does not say where to.
bool beyond_neighbours(const ViewInput& input, const StepTransfers& step) {
  if (step.hops.size() > step.transfers.size()) return true;
  return std::any_of(step.transfers.begin(), step.transfers.end(), [&](const Event& e) {
    const Lane& lane = input.trace.lanes()[static_cast<size_t>(e.lane)];
    return lane.kind == LaneKind::port || lane.axis < 0;
  });
}

std::vector<Sent> sent_by(const StepTransfers& step, int32_t columns, CarriedBlocks& carried) {
  std::vector<Sent> out(static_cast<size_t>(columns));
  for (const Event& e : step.transfers) {
    if (e.device >= columns || e.device < 0) continue;
    Sent& sent = out[static_cast<size_t>(e.device)];
    const CarriedWords block = carried.of(e);
    if (sent.blocks.find(block.label) == std::string::npos)
      sent.blocks += (sent.blocks.empty() ? "" : " ") + block.label;
    if (std::find(sent.targets.begin(), sent.targets.end(), e.peer) == sent.targets.end())
      sent.targets.push_back(e.peer);
    sent.owner = block.owner;
  }
  return out;
}

// The blocks that one device sends in a step, in as many words as there is room for.
void draw_sent(Pen& pen, const Mesh& mesh, const Sent& sent, const Rect& box, float y, bool arrows) {
  const Color fill = device_look(pen.theme, mesh, sent.owner).fill;
  pen.rect(box, fill);
  const std::string first_block = sent.blocks.substr(0, sent.blocks.find(' ')) + "+";
  std::vector<std::string> words{sent.blocks, first_block};
  if (arrows) {
    const std::string arrow = sent.arrow(mesh);
    const std::string brief = sent.short_arrow(mesh);
    words = {sent.blocks + arrow, first_block + arrow, sent.blocks + " " + brief, brief, first_block};
  }
  pen.text({box.x + box.w / 2, y}, pen.fitting(words, box.w - 2, 0.85F),
           {text_on(pen.theme, fill), 0.85F, Align::center});
}

}  // namespace

void draw_permutation_table(Pen& pen, const ViewInput& input, const Selection& selection,
                            const StepTransfers& now, CarriedBlocks& carried, const Rect& area) {
  const auto steps = input.trace.steps();
  if (!steps.ok() || steps->empty() || now.transfers.empty()) return;
  const Mesh& mesh = input.run.program.mesh;
  const float line = pen.px(22);
  const float first = std::max(pen.width("step", 0.85F, Face::bold), pen.width("000", 0.85F)) + pen.px(12);
  const float least =
      std::max(pen.width(device_name(mesh, input.trace.devices() - 1), 0.85F), pen.width("00–00", 0.85F)) +
      pen.px(10);
  // Wider where there is room for it.
  const float cell =
      std::clamp((area.w - first) / static_cast<float>(input.trace.devices()), least, pen.px(110));
  const auto columns = static_cast<int32_t>(
      std::clamp((area.w - first) / cell, 0.0F, static_cast<float>(input.trace.devices())));
  const int rows = static_cast<int>((area.h - 2 * line) / line);
  if (columns < 1 || rows < 1) return;
  float y = area.y + line / 2;
  const std::string more = columns < input.trace.devices() ? fmt::format(" (first {} devices)", columns) : "";
  pen.text({area.x, y},
           pen.fitting({"who sends which block" + more, "who sends what"}, area.w, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  y += line;
  pen.text({area.x, y}, "step", {pen.theme.muted_text, 0.85F, Align::left});
  for (int32_t d = 0; d < columns; ++d) {
    pen.text({area.x + first + (static_cast<float>(d) + 0.5F) * cell, y}, device_name(mesh, d),
             {pen.theme.muted_text, 0.85F, Align::center});
  }
  y += line;
  const int32_t current = step_at(input, selection.time);
  const int32_t from = std::max(0, std::min(current - rows / 2, static_cast<int32_t>(steps->size()) - rows));
  const int32_t to = std::min(static_cast<int32_t>(steps->size()), from + rows);
  for (int32_t s = from; s < to; ++s, y += line) {
    const Rect row{area.x - pen.px(4), y - line / 2, first + static_cast<float>(columns) * cell + pen.px(8),
                   line};
    ItemId item;
    item.kind = ItemId::Kind::step;
    item.index = s;
    const int32_t id = pen.id(item);
    const bool chosen = s == current;
    pen.rect(row, chosen ? with_alpha(pen.theme.selection, 0.16) : Color{0, 0, 0, 0}, id);
    pen.accessible(row, id, clock_name(input, s));
    pen.text({area.x, y}, std::to_string(s + 1),
             {chosen ? pen.theme.text : pen.theme.muted_text, 0.85F, Align::left, bold_if(chosen)});
    const auto transfers = step_transfers(input, s);
    if (!transfers) continue;
    const std::vector<Sent> sent = sent_by(*transfers, columns, carried);
    const bool arrows = beyond_neighbours(input, *transfers);
    for (int32_t d = 0; d < columns; ++d) {
      const Rect box{area.x + first + static_cast<float>(d) * cell + 1, y - line / 2 + 2, cell - 2, line - 4};
      const Sent& now_sent = sent[static_cast<size_t>(d)];
      if (now_sent.owner < 0) {
        pen.text({box.x + box.w / 2, y}, "·", {pen.theme.muted_text, 0.85F, Align::center});
        continue;
      }
      draw_sent(pen, mesh, now_sent, box, y, arrows);
    }
  }
}

}  // namespace shardscope
