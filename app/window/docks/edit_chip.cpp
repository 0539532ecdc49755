// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/edit_chip.h"

namespace shardscope::inline window {

ChipForm* edit_chip(const Context& context) {
  auto* form = context.window.findChild<ChipForm*>();
  if (form == nullptr) form = new ChipForm(context.bench.document(), &context.window);
  form->show();
  form->raise();
  return form;
}

}  // namespace shardscope::inline window
