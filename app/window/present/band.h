// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "views/host/scene_view.h"

namespace shardscope::inline window {

// A picture that somebody else lays out.
class Band : public SceneView {
 public:
  using Layout = std::function<Scene(const Canvas&)>;
  explicit Band(Layout layout, QWidget* parent = nullptr) : SceneView(parent), layout_(std::move(layout)) {}
  QSize minimumSizeHint() const override { return {1, 1}; }

 protected:
  Scene layout(const Canvas& canvas) const override { return layout_(canvas); }

 private:
  Layout layout_;
};

}  // namespace shardscope::inline window
