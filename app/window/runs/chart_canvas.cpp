// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/chart_canvas.h"

namespace shardscope {

MemoryCanvas::MemoryCanvas(Clock& clock, QWidget* parent)
    : RunCanvas(clock, "Memory shows the bytes that live on a device over time, and what holds the peak.",
                parent) {
  setObjectName("Memory");
}

Scene MemoryCanvas::layoutRun(const ViewInput& input, const Selection& selection, const Canvas& at) const {
  return layout_memory(input, {}, selection, at);
}

RooflineCanvas::RooflineCanvas(Clock& clock, QWidget* parent)
    : RunCanvas(clock, "The roofline shows whether the products are bound by compute or by memory.", parent) {
  setObjectName("Roofline");
}

Scene RooflineCanvas::layoutRun(const ViewInput& input, const Selection& selection, const Canvas& at) const {
  return layout_roofline(input, selection, at);
}

NumericsCanvas::NumericsCanvas(Clock& clock, QWidget* parent)
    : RunCanvas(clock,
                "Numerics shows where a result differs from its reference, and how far both are from the "
                "product in f64.",
                parent) {
  setObjectName("Numerics");
}

Scene NumericsCanvas::layoutRun(const ViewInput& input, const Selection& /*selection*/,
                                const Canvas& at) const {
  return layout_numerics(input, at);
}

}  // namespace shardscope
