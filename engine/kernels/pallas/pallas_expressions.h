// SPDX-License-Identifier: Apache-2.0
// Expressions of the kernels' language in Python, as Pallas has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/text/builtins.h"
#include "engine/kernels/text/syntax.h"

namespace shardscope::kernels {

class PallasExpressions {
 public:
  explicit PallasExpressions(const KernelText& text) : text_(text), traced_(text.names.size(), false) {}

  const std::string& plain(int32_t number) const { return text_.names[static_cast<size_t>(number)]; }
  std::string name(int32_t number) const;  // another one where Python has it already
  // Whether it is known on the device alone: an array of JAX, or a buffer.
  bool is_traced(const Expr& e) const;
  void trace(int32_t name) { traced_[static_cast<size_t>(name)] = true; }
  const Builtin* called(const Expr& e) const;  // null: no function of the language
  std::string shown(const Expr& e) const;
  std::string listed(const std::vector<Expr>& parts, size_t first) const;

 private:
  std::string binary(const Expr& e) const;
  std::string call(const Expr& e) const;

  const KernelText& text_;
  std::vector<bool> traced_;  // by name
};

}  // namespace shardscope::kernels
