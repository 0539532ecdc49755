// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace shardscope::inline views {

// Makes every SceneView tell screen readers the items of its scene. Once per process; later calls do
// nothing.
void install_canvas_accessibility();

}  // namespace shardscope::inline views
