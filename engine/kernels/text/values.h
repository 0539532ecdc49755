// SPDX-License-Identifier: Apache-2.0
// What the names of a kernel's text stand for while it is built for a device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/kernels/program/handles.h"

namespace shardscope::kernels {

struct Value;
// (a, b), or [a, b], which can grow: whoever holds a list sees that.
struct Items {
  std::shared_ptr<std::vector<Value>> values;
};
// Contents of buffers: a[...], a[...] + b[...], dot(a[...], b[...]). They exist to be stored.
struct Contents {
  enum class Kind : uint8_t { whole, sum, product };
  Kind kind = Kind::whole;
  Ref a, b;
};
struct Span {  // ds(first, count)
  int64_t first = 0, count = 0;
};
struct Value {
  std::variant<std::monostate, int64_t, std::string, Ref, Semaphore, Copy, ElementType, MemorySpace, Items,
               Contents, Span>
      is;
};

// "a number", for a sentence that says what was found.
const char* kind_text(const Value& value);

}  // namespace shardscope::kernels
