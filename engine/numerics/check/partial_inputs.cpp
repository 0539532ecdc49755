// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/partial_inputs.h"

#include <algorithm>
#include <memory>

#include "engine/base/check.h"
#include "engine/numerics/array/copy.h"
#include "engine/numerics/array/element.h"

namespace shardscope::inline numerics {

std::vector<ViewPtr> partial_sums_of(const View& whole, int64_t parts) {
  CHECK(parts >= 1, parts);
  const auto count = static_cast<size_t>(whole.element_count());
  std::vector<Array> made;
  for (int64_t p = 0; p < parts; ++p) made.push_back(Array::allocate(whole.type(), whole.dims()));
  Array all = Array::allocate(whole.type(), whole.dims());
  copy_to(whole, all.mutable_data());
  element::visit(whole.type(), [&](auto tag) {
    using Tag = decltype(tag);
    using Stored = typename Tag::Stored;
    const auto from = all.template as<Stored>();
    for (Array& part : made) std::ranges::fill(part.template mutable_as<Stored>(), Tag::store(0));
    for (size_t i = 0; i < count; ++i) {
      const size_t owner = i % made.size(), other = (i + 1) % made.size();
      if (owner == other) {
        made[owner].template mutable_as<Stored>()[i] = from[i];
        continue;
      }
      const Stored lent = from[(i + 1) % count];
      made[owner].template mutable_as<Stored>()[i] = Tag::store(Tag::load(from[i]) - Tag::load(lent));
      made[other].template mutable_as<Stored>()[i] = lent;
    }
  });
  std::vector<ViewPtr> out;
  out.reserve(made.size());
  for (const Array& part : made) out.push_back(std::make_shared<View>(View::of(part)));
  return out;
}

}  // namespace shardscope::inline numerics
