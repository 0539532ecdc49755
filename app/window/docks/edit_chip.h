// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"
#include "app/window/experiment/chip_form.h"
#include "app/window/experiment/experiment_form.h"

namespace shardscope::inline window {

// The form of the experiment's chip, in front; the window has one, made when it is first asked for.
ChipForm* edit_chip(const Context& context);

}  // namespace shardscope::inline window
