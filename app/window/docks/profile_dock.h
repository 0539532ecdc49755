// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"
#include "app/window/runs/profile_panel.h"

namespace shardscope::inline window {

// Profiles of real runs in the window: files are asked for, pages saved, kept traces go to the view Measured.
ProfilePanel* make_profile(const Context& context);
// On its own page, reading.
Result<void> open_profile(const Context& context, const QString& path);
// Whether a file that begins so is a profile.
bool is_profile(const QByteArray& head);

}  // namespace shardscope::inline window
