// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/indexed/meetings.h"

#include <algorithm>
#include <cstring>

#include "engine/numerics/functions/elementwise.h"
#include "engine/numerics/rules/lifted.h"

namespace shardscope::inline numerics {
namespace {

// Every element meets its updates in order: round r has the r-th of each.
std::vector<Meetings> rounds_of(const Meetings& meetings, int64_t elements) {
  std::vector<Meetings> out;
  std::vector<uint32_t> met(static_cast<size_t>(elements));
  for (const Meeting& meeting : meetings) {
    const size_t round = met[static_cast<size_t>(meeting.element)]++;
    if (round == out.size()) out.emplace_back();
    out[round].push_back(meeting);
  }
  return out;
}

// A computation on whole rounds of all devices at once.
class Rounds {
 public:
  Rounds(Step& step, std::string_view key, const MetArrays& arrays)
      : step_(step), key_(key), arrays_(arrays) {}

  Result<void> play(const std::vector<Meetings>& of_devices) {
    std::vector<std::vector<Meetings>> rounds;
    size_t count = 0;
    for (size_t d = 0; d < step_.devices(); ++d) {
      rounds.push_back(rounds_of(of_devices[d], arrays_.elements[0][d].element_count()));
      count = std::max(count, rounds.back().size());
    }
    for (size_t r = 0; r < count; ++r) {
      if (step_.run.stop.stop_requested()) return cancelled();
      std::vector<Meetings> round;
      for (auto& of_device : rounds)
        round.push_back(r < of_device.size() ? std::move(of_device[r]) : Meetings());
      TRY_VOID(one(round));
    }
    return {};
  }

 private:
  // As many elements on each device, so that it is one computation; what is beyond a device's own meetings is
  // not looked at.
  Result<void> one(const std::vector<Meetings>& round) {
    size_t length = 0;
    for (const Meetings& of_device : round) length = std::max(length, of_device.size());
    const auto count = static_cast<int64_t>(length);
    ArrayViews arguments;
    for (const std::vector<Array>& elements : arrays_.elements)
      arguments.push_back(taken(round, count, elements[0].type(), &Meeting::element,
                                [&](size_t d) { return elements[d].data(); }));
    for (const std::vector<ViewPtr>& updates : arrays_.updates)
      arguments.push_back(taken(round, count, updates[0]->type(), &Meeting::update,
                                [&](size_t d) { return updates[d]->data(); }));
    TRY(const ArrayViews made, apply_lifted(step_.run, {step_.at(), key_}, count, arguments));
    for (size_t a = 0; a < arrays_.elements.size(); ++a)
      put(round, step_.plain(made[a]), arrays_.elements[a]);
    forget_lifted(step_.run, {step_.at(), key_}, count);
    return {};
  }

  template <class Data>
  std::vector<ViewPtr> taken(const std::vector<Meetings>& round, int64_t count, ElementType type,
                             int64_t Meeting::*place, const Data& data) {
    const auto size = static_cast<size_t>(stored_bytes(type, 1));
    std::vector<ViewPtr> out;
    for (size_t d = 0; d < round.size(); ++d) {
      Array array = step_.run.pool.take(type, {count});
      std::memset(array.mutable_data(), 0, static_cast<size_t>(array.bytes()));
      for (size_t k = 0; k < round[d].size(); ++k)
        std::memcpy(array.mutable_data() + k * size, data(d) + static_cast<size_t>(round[d][k].*place) * size,
                    size);
      out.push_back(std::make_shared<View>(View::of(array)));
    }
    return out;
  }

  static void put(const std::vector<Meetings>& round, const std::vector<ViewPtr>& made,
                  std::vector<Array>& elements) {
    const auto size = static_cast<size_t>(stored_bytes(elements[0].type(), 1));
    for (size_t d = 0; d < round.size(); ++d)
      for (size_t k = 0; k < round[d].size(); ++k)
        std::memcpy(elements[d].mutable_data() + static_cast<size_t>(round[d][k].element) * size,
                    made[d]->data() + k * size, size);
  }

  Step& step_;
  std::string_view key_;
  const MetArrays& arrays_;
};

void by_kernel(ElementwiseKernel::Two kernel, const Meetings& meetings, const View& updates,
               Array& elements) {
  const int64_t size = stored_bytes(elements.type(), 1);
  for (const Meeting& m : meetings) {
    std::byte* element = elements.mutable_data() + m.element * size;
    kernel(element, updates.data() + m.update * size, element, 1);
  }
}

}  // namespace

Result<void> meet(Step& step, std::string_view key, const MetArrays& arrays,
                  const std::vector<Meetings>& of_devices) {
  const auto reducer = arrays.elements.size() == 1 ? reducer_of(step.run.program, step.at(), key)
                                                   : Result<Opcode>(Opcode::unknown);
  const auto kernel = reducer.ok() ? elementwise_kernel(*reducer, arrays.elements[0][0].type()).two : nullptr;
  if (kernel == nullptr) return Rounds(step, key, arrays).play(of_devices);
  step.run.workers.parallel_for(static_cast<int64_t>(step.devices()), [&](int64_t device) {
    const auto d = static_cast<size_t>(device);
    by_kernel(kernel, of_devices[d], *arrays.updates[0][d], arrays.elements[0][d]);
  });
  return {};
}

}  // namespace shardscope::inline numerics
