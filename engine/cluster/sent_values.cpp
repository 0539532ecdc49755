// SPDX-License-Identifier: Apache-2.0
#include "engine/cluster/sent_values.h"

namespace shardscope::inline cluster {
namespace {

enum class Form : int8_t { scalar, tuple, array, known_array };

}  // namespace

void SentValues::put(const DeviceValue& value, PacketWriter& out) {
  if (!value.elements.empty()) {
    out.put(Form::tuple);
    out.put(std::ssize(value.elements));
    for (const DeviceValue& element : value.elements) put(element, out);
    return;
  }
  if (value.view == nullptr) {
    out.put(Form::scalar);
    out.put(value.scalar);
    return;
  }
  const auto [known, fresh] = numbers_.try_emplace(value.view.get(), std::ssize(numbers_));
  out.put(fresh ? Form::array : Form::known_array);
  if (!fresh) {
    out.put(known->second);
    return;
  }
  kept_.push_back(value.view);
  plain_.push_back(value.view->plain() ? value.view
                                       : std::make_shared<const View>(View::of(copy_of(*value.view))));
  out.put(value.view->type());
  out.put_all(value.view->dims());
}

void SentValues::send(Link& link, int to, Link::Channel channel) const {
  for (const ViewPtr& view : plain_)
    link.send(to, channel,
              {view->data(), static_cast<size_t>(stored_bytes(view->type(), view->element_count()))});
}

DeviceValue ReceivedValues::get(PacketReader& in) {
  DeviceValue value;
  switch (in.get<Form>()) {
    case Form::tuple:
      value.elements.resize(static_cast<size_t>(in.get<std::ptrdiff_t>()));
      for (DeviceValue& element : value.elements) element = get(in);
      break;
    case Form::scalar:
      value.scalar = in.get<int64_t>();
      break;
    case Form::array: {
      const auto type = in.get<ElementType>();
      arrays_.push_back(pool_.take(type, in.get_all<int64_t>()));
      views_.push_back(std::make_shared<const View>(View::of(arrays_.back())));
      value.view = views_.back();
      break;
    }
    case Form::known_array:
      value.view = views_[static_cast<size_t>(in.get<int64_t>())];
      break;
  }
  return value;
}

void ReceivedValues::receive(Link& link, int from, Link::Channel channel) {
  for (Array& array : arrays_)
    link.receive(from, channel, {array.mutable_data(), static_cast<size_t>(array.bytes())});
}

}  // namespace shardscope::inline cluster
