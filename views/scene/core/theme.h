// SPDX-License-Identifier: Apache-2.0
// Every colour and size of the canvases and the window, in one place.
#pragma once

#include <string>
#include <string_view>

#include "views/scene/core/geometry.h"

namespace shardscope::inline views {

struct Theme {
  bool dark = false;
  Color background, panel, text, muted_text, rule, selection, hover, focus;
  Color compute, copy, exposed, critical, warning;
  float base_px = 13;  // text size at 100 %
  float scale = 1;     // 1 to 3, for projectors
  float least_px = 0;  // no text is smaller; 0: as small as a view likes
  // For a class: what is read from the last row, and what only one at the screen reads is left out.
  bool presented() const { return least_px > 0; }
};

Theme light_theme();
Theme dark_theme();
// For a picture of that height which is presented, whatever the theme's own scale.
inline constexpr float kPresentedText = 0.035F;  // of the picture's height
Theme presented(Theme theme, float height);
inline constexpr float kLeastPresented = 22.0F / 720;  // likewise, where more would not fit

// Identity colours: Okabe–Ito for up to 8 identities, beyond that a hue per identity (add a pattern per mesh
// row).
Color identity_color(const Theme& theme, int identity, int identities);
// One hue family per mesh axis, a shade per direction.
Color axis_color(const Theme& theme, int axis, int direction);
Color cividis(double fraction);  // magnitude, 0 to 1
Color text_on(const Theme& theme,
              Color background);    // the theme's dark or light text, whichever reads better
double contrast(Color a, Color b);  // WCAG ratio, 1 to 21

}  // namespace shardscope::inline views
