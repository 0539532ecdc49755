// SPDX-License-Identifier: Apache-2.0
// What a page has drawn, read from its SVG elements, against the Scene that the window draws.
#pragma once

#include <string>

#include "tests/pages/browser.h"
#include "views/scene/core/scene.h"

namespace shardscope::pages_test {

// The shapes of a scene, an item an entry: {depth, parts: [{tag, its attributes}]}; a clip has its rectangle.
Json shapes_of(const Scene& scene);
// The same of the page's picture of a view, and what a screen reader is told there.
Json drawn_shapes(Page& page, const std::string& view);
Json drawn_names(Page& page, const std::string& view);
// The first difference between the two, numbers to a hundredth of a pixel; empty: there is none.
std::string difference(const Json& scene, const Json& drawn);

}  // namespace shardscope::pages_test
