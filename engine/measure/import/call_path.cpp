// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/call_path.h"

#include <algorithm>
#include <limits>

namespace shardscope::inline measure {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kBack = 4;      // to an earlier call, out of turn
constexpr double kRound = 0.02;  // to a loop's begin
constexpr double kGap = 0.2;
constexpr double kSmallGap = 0.12;    // copies that the compiler may leave out
constexpr double kTwoOfALibrary = 3;  // one call, two kernels, neither in front of the other
constexpr double kTwoOfAName = 0.5;
constexpr size_t kSettled = 8192;  // kernels after which what came before is decided

// A way that ends at one of a kernel's calls.
struct End {
  double cost = 0;
  double step = 0;    // the last part of the cost, without the name's
  int32_t from = -1;  // the candidate of the kernel before it
};
struct Column {
  size_t kernel = 0;
  const std::vector<CallCandidate>* calls = nullptr;
  std::vector<End> ends;
};
struct Cheapest {
  double cost = kNever;
  int32_t candidate = -1;
  void offer(double other, int32_t who) {
    if (other < cost) cost = other, candidate = who;
  }
};

class Ways {
 public:
  Ways(const ModuleCalls& module, const std::vector<RanKernel>& kernels)
      : module_(module), kernels_(kernels), out_(kernels.size()), rounds_(module.loops().size()) {}

  Result<std::vector<KernelPlace>> find(const std::stop_token& stop) {
    for (size_t k = 0; k < kernels_.size(); ++k) {
      if (k % 1024 == 0 && stop.stop_requested()) return cancelled();
      if (kernels_[k].candidates->calls.empty()) continue;
      step(k);
      if (columns_.size() > kSettled) settle();
    }
    settle();
    return std::move(out_);
  }

 private:
  double before(int32_t call) const { return module_.expected_before(call); }

  void step(size_t k) {
    Column next{k, &kernels_[k].candidates->calls, {}};
    next.ends.resize(next.calls->size());
    if (columns_.empty()) {
      for (size_t c = 0; c < next.ends.size(); ++c) next.ends[c].cost = (*next.calls)[c].cost;
    } else {
      follow(columns_.back(), next);
    }
    columns_.push_back(std::move(next));
  }

  // All ends of `last` to all calls of `next`, both by place: a pass over both.
  void follow(const Column& last, Column& next) {
    std::ranges::fill(rounds_, Cheapest{});
    Cheapest anywhere;
    for (size_t i = 0; i < last.ends.size(); ++i) {
      const double cost = last.ends[i].cost;
      const int32_t call = (*last.calls)[i].call;
      anywhere.offer(cost + kBack, static_cast<int32_t>(i));
      each_loop(call, [&](size_t loop, const CallLoop& of) {
        rounds_[loop].offer(cost + skipped(call + 1, of.end), static_cast<int32_t>(i));
      });
    }
    Cheapest forward;
    size_t i = 0;
    for (size_t c = 0; c < next.ends.size(); ++c) {
      const int32_t call = (*next.calls)[c].call;
      for (; i < last.ends.size() && (*last.calls)[i].call < call; ++i)
        forward.offer(last.ends[i].cost - before((*last.calls)[i].call + 1), static_cast<int32_t>(i));
      Cheapest best = anywhere;
      best.offer(forward.cost + before(call) + kGap, forward.candidate);
      if (i > 0)
        best.offer(last.ends[i - 1].cost + skipped((*last.calls)[i - 1].call + 1, call),
                   static_cast<int32_t>(i) - 1);
      if (i < last.ends.size() && (*last.calls)[i].call == call)
        best.offer(last.ends[i].cost + stay(last.kernel, next.kernel, call), static_cast<int32_t>(i));
      each_loop(call, [&](size_t loop, const CallLoop& of) {
        best.offer(rounds_[loop].cost + kRound + skipped(of.begin, call), rounds_[loop].candidate);
      });
      const double came = best.candidate < 0 ? 0 : last.ends[static_cast<size_t>(best.candidate)].cost;
      next.ends[c] = {best.cost + (*next.calls)[c].cost, best.cost - came, best.candidate};
    }
  }

  // Calls [from, to) do not show: one gap costs less than two.
  double skipped(int32_t from, int32_t to) const {
    const double expected = before(to) - before(from);
    return expected > kSmallGap ? expected + kGap : expected;
  }

  template <class Take>
  void each_loop(int32_t call, Take take) const {
    for (int32_t loop = module_.calls()[static_cast<size_t>(call)].loop; loop >= 0;) {
      const CallLoop& of = module_.loops()[static_cast<size_t>(loop)];
      take(static_cast<size_t>(loop), of);
      loop = of.around;
    }
  }

  // Several kernels of one call.
  double stay(size_t last, size_t next, int32_t call) const {
    const ModuleCall& of = module_.calls()[static_cast<size_t>(call)];
    if (kernels_[next].given && kernels_[last].given) return 0;
    if (kernels_[next].again && !kernels_[last].before) return kNever;
    if (kernels_[last].before && !kernels_[next].before) return 0;
    return of.form == CallForm::kernel ? kTwoOfAName : kTwoOfALibrary;
  }

  void settle() {
    if (columns_.empty()) return;
    const auto& ends = columns_.back().ends;
    auto at = static_cast<int32_t>(std::ranges::min_element(ends, {}, &End::cost) - ends.begin());
    double after = 0;  // what the step behind costs
    for (size_t c = columns_.size(); c-- > 0;) {
      const Column& column = columns_[c];
      const End& end = column.ends[static_cast<size_t>(at)];
      out_[column.kernel] = {(*column.calls)[static_cast<size_t>(at)].call,
                             sure(column, static_cast<size_t>(at), end.step, after)};
      after = end.step;
      if (c > 0) at = end.from;
    }
    Column last = std::move(columns_.back());
    const double least = std::ranges::min_element(last.ends, {}, &End::cost)->cost;
    for (End& end : last.ends) end.cost -= least;
    columns_.clear();
    columns_.push_back(std::move(last));
  }

  // Whether something is missing on either side of it, and whether only its name or only its turn says so.
  double sure(const Column& column, size_t at, double step, double after) const {
    const RanKernel& kernel = kernels_[column.kernel];
    if (kernel.given) return 1;
    const bool fits = step < 0.5 && after < 0.5;
    const double name = (*column.calls)[at].cost;
    if (kernel.candidates->named && column.calls->size() == 1) return fits ? 0.99 : 0.97;
    if (kernel.candidates->named) return fits ? 0.95 : 0.8;
    if (column.calls->size() == 1) return fits ? 0.95 : 0.8;
    return fits ? (name < 0.5 ? 0.9 : 0.8) : (name < 0.5 ? 0.6 : 0.4);
  }

  const ModuleCalls& module_;
  const std::vector<RanKernel>& kernels_;
  std::vector<KernelPlace> out_;
  std::vector<Column> columns_;
  std::vector<Cheapest> rounds_;  // by loop
};

}  // namespace

Result<std::vector<KernelPlace>> call_path(const ModuleCalls& module, const std::vector<RanKernel>& kernels,
                                           const std::stop_token& stop) {
  return Ways(module, kernels).find(stop);
}

}  // namespace shardscope::inline measure
