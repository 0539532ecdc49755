// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/device_value.h"

#include <cstring>

#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/convert.h"

namespace shardscope::inline numerics {

int64_t scalar_of(const DeviceValue& value) {
  if (value.view == nullptr) return value.scalar;
  int64_t result = 0;
  element::visit(value.view->type(), [&](auto tag) {
    using Tag = decltype(tag);
    typename Tag::Stored stored;
    std::memcpy(&stored, value.view->pieces().front().data, sizeof(stored));
    result = static_cast<int64_t>(element::real_part(Tag::load(stored)));
  });
  return result;
}

void GivenParameters::note(const std::vector<DeviceValues>& parameters) {
  views_.clear();
  for (const DeviceValues& parameter : parameters)
    for (const DeviceValue& value : parameter) views_.push_back(value.view);
}

bool GivenParameters::are(const std::vector<DeviceValues>& parameters) const {
  size_t known = 0;
  for (const DeviceValues& parameter : parameters) {
    for (const DeviceValue& value : parameter) {
      if (value.view == nullptr || known == views_.size()) return false;
      if (views_[known++].lock() != value.view) return false;
    }
  }
  return known == views_.size();
}

ViewPtr ScalarViews::view_of(const DeviceValue& value, ElementType type) {
  if (value.view != nullptr) return value.view;
  ViewPtr& view = made_[{type, value.scalar}];
  if (view == nullptr) {
    Array array = Array::allocate(type, {});
    element::visit(type, [&](auto tag) {
      using Tag = decltype(tag);
      array.mutable_as<typename Tag::Stored>()[0] =
          Tag::store(static_cast<typename Tag::Computed>(value.scalar));
    });
    view = std::make_shared<View>(View::of(array));
  }
  return view;
}

void convert_values(DeviceValues& values, ElementType to, BufferPool& pool, Loops& loops) {
  std::vector<ViewPtr> views;
  for (const DeviceValue& value : values) views.push_back(value.view);
  const std::vector<ViewPtr> plain = materialise(views, pool, loops);
  std::vector<Array> results;
  std::vector<std::pair<const std::byte*, std::byte*>> memory;  // from, to
  for (const ViewPtr& view : plain) {
    results.push_back(pool.take(to, view->dims()));
    memory.emplace_back(view->data(), results.back().mutable_data());
  }
  const ElementType from = plain.front()->type();
  for_stretches(values.size(), plain.front()->element_count(), loops,
                [=, memory = std::move(memory)](size_t a, int64_t first, int64_t count) {
                  convert_elements(from, memory[a].first + stored_bytes(from, first), to,
                                   memory[a].second + stored_bytes(to, first), count);
                });
  for (size_t d = 0; d < values.size(); ++d) values[d].view = std::make_shared<View>(View::of(results[d]));
}

}  // namespace shardscope::inline numerics
