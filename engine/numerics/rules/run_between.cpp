// SPDX-License-Identifier: Apache-2.0
// Collectives of which some devices are in other processes: their memory is laid out in chunks, and carried
// as the schedule says.
#include "engine/numerics/rules/run_between.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/collectives/opcode_kind.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/rules/carry.h"
#include "engine/numerics/rules/collective_sum.h"
#include "engine/numerics/rules/rules.h"
#include "engine/numerics/rules/transport.h"

namespace shardscope::inline numerics {
namespace {

// Chunks of one part of what is carried (a shard, a slice), in the order of their numbers.
using Chunks = std::vector<int32_t>;

class Between {
 public:
  explicit Between(Step& step)
      : step_(step), kind_(collective_kind(step.at()).value()), type_(step.operand_shape(0).type) {}

  Result<void> run() {
    TRY_VOID(make_groups());
    switch (kind_) {
      case CollectiveKind::all_gather:
        return gather();
      case CollectiveKind::all_reduce:
      case CollectiveKind::reduce:
        return reduce();
      case CollectiveKind::broadcast:
        return broadcast();
      case CollectiveKind::reduce_scatter:
        return reduce_scatter();
      case CollectiveKind::all_to_all:
        return all_to_all();
      case CollectiveKind::permute:
        return permute();
    }
    return {};
  }

 private:
  // Those with a device that is here; a schedule that is not known sends straight and adds in the order of
  // the group.
  Result<void> make_groups() {
    const bool sums = kind_ == CollectiveKind::all_reduce || kind_ == CollectiveKind::reduce ||
                      kind_ == CollectiveKind::reduce_scatter;
    ElementwiseKernel kernel;
    if (sums) {
      TRY(kernel, collective_kernel(step_));
    }
    if (kind_ == CollectiveKind::permute) return {};
    const auto known = step_.run.schedules.find(&step_.at());
    for (const std::vector<DeviceId>& devices : groups_of(step_.run, step_.at())) {
      CarriedGroup group{devices, nullptr};
      const auto ranks = static_cast<int32_t>(devices.size());
      if (known != step_.run.schedules.end() && known->second != nullptr && known->second->ranks() == ranks)
        group.schedule = known->second;
      group.in_rank_order = group.schedule == nullptr;
      if (group.in_rank_order) group.schedule = straight_schedule(kind_, ranks);
      group.add = kernel.two;
      for (int32_t r = 0; r < ranks; ++r)
        if (step_.run.place_of(devices[nth(r)])) group.held[r].resize(nth(group.schedule->chunks()));
      if (!group.held.empty()) groups_.push_back(std::move(group));
    }
    return {};
  }

  DeviceValue& result(const CarriedGroup& group, int32_t rank) {
    return step_.results()[*step_.run.place_of(group.devices[nth(rank)])];
  }
  ViewPtr operand(const CarriedGroup& group, int32_t rank, size_t k = 0) {
    return step_.plain({step_.view(k, *step_.run.place_of(group.devices[nth(rank)]))}).front();
  }
  // Keeps the memory as long as the group.
  const std::byte* keep(const ViewPtr& plain) {
    kept_.push_back(plain);
    return plain->data();
  }
  Array take(const std::vector<int64_t>& dims) { return step_.run.pool.take(type_, dims); }
  static ViewPtr view_of(const Array& array) { return std::make_shared<const View>(View::of(array)); }

  ViewPtr zeros() {
    if (zeros_ == nullptr) zeros_ = zeros_of(step_);
    return zeros_;
  }
  void fill_up() {
    for (DeviceValue& value : step_.results())
      if (value.view == nullptr && value.elements.empty()) value.view = zeros();
  }

  // Lays `count` elements out over chunks: sets how many each has, and of the ranks that are here where.
  void set_elements(CarriedGroup& group, const Chunks& chunks, int64_t count) {
    group.elements.resize(nth(group.schedule->chunks()));
    for (size_t p = 0; p < chunks.size(); ++p)
      group.elements[nth(chunks[p])] = begin_of(count, std::ssize(chunks), static_cast<int64_t>(p) + 1) -
                                       begin_of(count, std::ssize(chunks), static_cast<int64_t>(p));
  }
  void place(CarriedGroup& group, int32_t rank, const Chunks& chunks, const std::byte* now, std::byte* room) {
    int64_t offset = 0;
    for (const int32_t chunk : chunks) {
      HeldChunk& held = group.held.at(rank)[nth(chunk)];
      if (now != nullptr) held.now = now + offset;
      if (room != nullptr) held.room = room + offset;
      offset += stored_bytes(type_, group.elements[nth(chunk)]);
    }
  }
  // What was neither received nor added to is still where it was.
  void settle(CarriedGroup& group, int32_t rank, const Chunks& chunks) {
    for (const int32_t chunk : chunks) {
      const HeldChunk& held = group.held.at(rank)[nth(chunk)];
      const int64_t bytes = stored_bytes(type_, group.elements[nth(chunk)]);
      if (held.now != held.room && held.now != nullptr && bytes > 0)
        std::copy(held.now, held.now + bytes, held.room);
    }
  }

  std::vector<Chunks> by_home(const CarriedGroup& group) const {
    std::vector<Chunks> out(group.devices.size());
    for (int32_t c = 0; c < group.schedule->chunks(); ++c) out[nth(group.schedule->home(c))].push_back(c);
    return out;
  }
  static Chunks all_of(const CarriedGroup& group) {
    Chunks out(nth(group.schedule->chunks()));
    std::iota(out.begin(), out.end(), 0);
    return out;
  }

  ViewPtr joined(std::vector<ViewPtr> parts, size_t dim) {
    std::vector<const View*> views;
    for (const ViewPtr& part : parts) views.push_back(part.get());
    auto view = View::concatenate(views, dim);
    CHECK(view.has_value(), step_.at().name);
    return std::make_shared<const View>(*std::move(view));
  }

  Result<void> gather() {
    const Shape& shape = step_.operand_shape(0);
    std::vector<std::map<int32_t, std::vector<ViewPtr>>> shards(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      CarriedGroup& group = groups_[g];
      const std::vector<Chunks> homes = by_home(group);
      for (const Chunks& chunks : homes) set_elements(group, chunks, shape.element_count());
      for (auto& [rank, held] : group.held) {
        for (int32_t home = 0; home < std::ssize(homes); ++home) {
          ViewPtr& shard = shards[g][rank].emplace_back();
          if (home == rank) {
            shard = operand(group, rank);
            place(group, rank, homes[nth(home)], keep(shard), nullptr);
            continue;
          }
          Array array = take(shape.dims);
          place(group, rank, homes[nth(home)], nullptr, array.mutable_data());
          shard = view_of(array);
        }
      }
    }
    TRY_VOID(carry(step_, type_, groups_));
    const auto dim = static_cast<size_t>(step_.at().dimensions.front());
    for (size_t g = 0; g < groups_.size(); ++g)
      for (auto& [rank, views] : shards[g]) result(groups_[g], rank).view = joined(std::move(views), dim);
    return {};
  }

  Result<void> reduce() {
    std::vector<std::map<int32_t, Array>> sums(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      CarriedGroup& group = groups_[g];
      set_elements(group, all_of(group), step_.at().shape.element_count());
      for (auto& [rank, held] : group.held) {
        Array& sum = sums[g][rank] = take(step_.at().shape.dims);
        place(group, rank, all_of(group), keep(operand(group, rank)), sum.mutable_data());
      }
    }
    TRY_VOID(carry(step_, type_, groups_));
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (auto& [rank, sum] : sums[g]) {
        if (kind_ == CollectiveKind::reduce && rank != 0) continue;
        settle(groups_[g], rank, all_of(groups_[g]));
        result(groups_[g], rank).view = view_of(sum);
      }
    }
    fill_up();
    return {};
  }

  Result<void> broadcast() {
    std::vector<std::map<int32_t, Array>> copies(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      CarriedGroup& group = groups_[g];
      set_elements(group, all_of(group), step_.at().shape.element_count());
      for (auto& [rank, held] : group.held) {
        if (rank == 0) {
          const ViewPtr own = operand(group, rank);
          place(group, rank, all_of(group), keep(own), nullptr);
          result(group, rank).view = own;
          continue;
        }
        Array& copy = copies[g][rank] = take(step_.at().shape.dims);
        place(group, rank, all_of(group), nullptr, copy.mutable_data());
      }
    }
    TRY_VOID(carry(step_, type_, groups_));
    for (size_t g = 0; g < groups_.size(); ++g)
      for (auto& [rank, copy] : copies[g]) result(groups_[g], rank).view = view_of(copy);
    fill_up();
    return {};
  }

  // Equal parts of an operand along a dimension, each plain.
  std::vector<ViewPtr> slices(const ViewPtr& whole, size_t dim, int64_t parts) {
    std::vector<ViewPtr> out;
    const int64_t size = whole->dims()[dim] / parts;
    for (int64_t p = 0; p < parts; ++p) {
      auto slice = whole->slice(dim, p * size, (p + 1) * size);
      CHECK(slice.has_value(), step_.at().name);
      out.push_back(std::make_shared<const View>(*std::move(slice)));
    }
    return step_.plain(out);
  }

  Result<void> reduce_scatter() {
    const auto dim = static_cast<size_t>(step_.at().dimensions.front());
    std::vector<std::map<int32_t, Array>> sums(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      CarriedGroup& group = groups_[g];
      const std::vector<Chunks> homes = by_home(group);
      for (const Chunks& chunks : homes) set_elements(group, chunks, step_.at().shape.element_count());
      for (auto& [rank, held] : group.held) {
        Array& sum = sums[g][rank] = take(step_.at().shape.dims);
        const std::vector<ViewPtr> parts = slices(operand(group, rank), dim, std::ssize(homes));
        for (int32_t home = 0; home < std::ssize(homes); ++home)
          place(group, rank, homes[nth(home)], keep(parts[nth(home)]),
                home == rank ? sum.mutable_data() : nullptr);
      }
    }
    TRY_VOID(carry(step_, type_, groups_));
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (auto& [rank, sum] : sums[g]) {
        settle(groups_[g], rank, by_home(groups_[g])[nth(rank)]);
        result(groups_[g], rank).view = view_of(sum);
      }
    }
    return {};
  }

  // What a rank sends to each other: operand r, or part r of the one operand.
  std::vector<ViewPtr> sent_parts(const CarriedGroup& group, int32_t rank) {
    if (!step_.at().shape.is_tuple)
      return slices(operand(group, rank), static_cast<size_t>(step_.at().dimensions.front()),
                    std::ssize(group.devices));
    std::vector<ViewPtr> out;
    for (size_t k = 0; k < group.devices.size(); ++k) out.push_back(operand(group, rank, k));
    return out;
  }

  Result<void> all_to_all() {
    std::vector<std::map<int32_t, std::vector<ViewPtr>>> parts(groups_.size());  // by rank, then source
    for (size_t g = 0; g < groups_.size(); ++g) {
      CarriedGroup& group = groups_[g];
      const auto ranks = static_cast<int32_t>(group.devices.size());
      std::map<std::pair<int32_t, int32_t>, Chunks> between;
      for (int32_t c = 0; c < group.schedule->chunks(); ++c)
        between[{group.schedule->home(c), group.schedule->goal(c)}].push_back(c);
      const bool tuple = step_.at().shape.is_tuple;
      const int64_t each = step_.operand_shape(0).element_count() / (tuple ? 1 : ranks);
      for (const auto& [ends, chunks] : between) set_elements(group, chunks, each);
      for (auto& [rank, held] : group.held) {
        const std::vector<ViewPtr> sent = sent_parts(group, rank);
        for (int32_t other = 0; other < ranks; ++other)
          place(group, rank, between[{rank, other}], keep(sent[nth(other)]), nullptr);
        for (int32_t source = 0; source < ranks; ++source) {
          ViewPtr& part = parts[g][rank].emplace_back(sent[nth(rank)]);
          if (source == rank) continue;
          Array array = take(part->dims());
          place(group, rank, between[{source, rank}], nullptr, array.mutable_data());
          part = view_of(array);
        }
      }
    }
    TRY_VOID(carry(step_, type_, groups_));
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (auto& [rank, views] : parts[g]) {
        DeviceValue& value = result(groups_[g], rank);
        if (step_.at().shape.is_tuple) {
          for (const ViewPtr& view : views) value.elements.emplace_back().view = view;
        } else {
          value.view = joined(std::move(views), static_cast<size_t>(step_.at().dimensions.front()));
        }
      }
    }
    return {};
  }

  Result<void> permute() {
    std::vector<Delivery> deliveries;
    std::vector<std::pair<size_t, Array>> arrived;
    const auto devices = step_.run.program.mesh.device_count();
    const auto size = static_cast<size_t>(stored_bytes(type_, step_.at().shape.element_count()));
    for (int64_t d = 0; d < devices; ++d) {
      const DeviceId target(d), source = step_.at().permutation->source_of(target);
      if (!source.valid()) continue;
      const auto from = step_.run.place_of(source), to = step_.run.place_of(target);
      if (from && to) step_.results()[*to] = step_.operand(0, *from);
      if (from.has_value() == to.has_value()) continue;
      Delivery& delivery = deliveries.emplace_back(Delivery{source, target, 0, static_cast<int64_t>(size)});
      if (from) {
        const ViewPtr own = step_.plain({step_.view(0, *from)}).front();
        delivery.from.emplace_back(keep(own), size);
      } else {
        arrived.emplace_back(*to, take(step_.at().shape.dims));
        delivery.to.emplace_back(arrived.back().second.mutable_data(), size);
      }
    }
    TRY_VOID(step_.run.transport->exchange(step_.at(), deliveries));
    for (const auto& [to, array] : arrived) step_.results()[to].view = view_of(array);
    for (size_t d = 0; d < step_.devices(); ++d)
      if (!step_.at().permutation->source_of(step_.run.device(d)).valid()) step_.results()[d].view = zeros();
    return {};
  }

  Step& step_;
  CollectiveKind kind_;
  ElementType type_;
  std::vector<CarriedGroup> groups_;
  std::vector<ViewPtr> kept_;
  ViewPtr zeros_;
};

}  // namespace

Result<void> run_between(Step& step) {
  TRY_VOID(check_collective(step));
  return Between(step).run();
}

Result<std::vector<ViewPtr>> operands_of_groups(Step& step, size_t k) {
  const std::vector<ViewPtr> own = step.arrays(k);
  if (step.run.transport == nullptr) return own;
  std::vector<ViewPtr> out(static_cast<size_t>(step.run.program.mesh.device_count()));
  for (size_t d = 0; d < own.size(); ++d) out[nth(step.run.device(d).value)] = own[d];
  const Shape& shape = step.operand_shape(k);
  const auto bytes = static_cast<size_t>(stored_bytes(shape.type, shape.element_count()));
  std::vector<Delivery> deliveries;
  for (const std::vector<DeviceId>& group : groups_of(step.run, step.at())) {
    for (const DeviceId source : group) {
      for (const DeviceId target : group) {
        const auto from = step.run.place_of(source), to = step.run.place_of(target);
        if (from.has_value() == to.has_value()) continue;
        Delivery& delivery =
            deliveries.emplace_back(Delivery{source, target, 0, static_cast<int64_t>(bytes)});
        if (from) {
          delivery.from.emplace_back(own[*from]->data(), bytes);
          continue;
        }
        Array array = step.run.pool.take(shape.type, shape.dims);
        delivery.to.emplace_back(array.mutable_data(), bytes);
        out[nth(source.value)] = std::make_shared<const View>(View::of(array));
      }
    }
  }
  TRY_VOID(step.run.transport->exchange(step.at(), deliveries));
  return out;
}

}  // namespace shardscope::inline numerics
