// SPDX-License-Identifier: Apache-2.0
// The engine speaks to every front end of options by their names on the command line. The one place where
// the window says the controls that stand for them.
#pragma once

#include <QString>
#include <span>

#include "engine/base/result.h"

namespace shardscope::inline window {

// A control that is called otherwise than its option; without a name: there is none.
struct NamedControl {
  const char* option;
  const char* name = nullptr;
};
std::span<const NamedControl> named_controls();

// "say --kernels dots" is "set kernels to dots"; what has no control here stays the command line's.
QString in_window(const std::string& text);
inline QString in_window(const Error& error) {
  return in_window(error.text());
}

}  // namespace shardscope::inline window
