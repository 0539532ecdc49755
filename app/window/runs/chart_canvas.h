// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/runs/run_canvas.h"

namespace shardscope {

// Live bytes over time of the selected, or the fullest, device.
class MemoryCanvas : public RunCanvas {
  Q_OBJECT
 public:
  explicit MemoryCanvas(Clock& clock, QWidget* parent = nullptr);
  QString viewName() const override { return "memory"; }

 protected:
  Scene layoutRun(const ViewInput& input, const Selection& selection, const Canvas& canvas) const override;
};

// The run's products against the chip's peak and memory bandwidth.
class RooflineCanvas : public RunCanvas {
  Q_OBJECT
 public:
  explicit RooflineCanvas(Clock& clock, QWidget* parent = nullptr);
  QString viewName() const override { return "roofline"; }

 protected:
  Scene layoutRun(const ViewInput& input, const Selection& selection, const Canvas& canvas) const override;
};

// The run's numbers against its reference and against f64: verdict, regions, the worst element.
class NumericsCanvas : public RunCanvas {
  Q_OBJECT
 public:
  explicit NumericsCanvas(Clock& clock, QWidget* parent = nullptr);
  QString viewName() const override { return "numerics"; }

 protected:
  Scene layoutRun(const ViewInput& input, const Selection& selection, const Canvas& canvas) const override;
};

}  // namespace shardscope
