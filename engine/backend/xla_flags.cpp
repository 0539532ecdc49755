// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/xla_flags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <variant>

#include "engine/base/say.h"
#include "engine/base/text.h"

namespace shardscope::inline backend {
namespace {

using Place = std::variant<bool XlaFlags::*, int64_t XlaFlags::*>;

struct Flag {
  const char* name;
  Place place;
  int64_t least;
  const char* what;
};

const std::array<Flag, 13>& flag_table() {
  static const std::array<Flag, 13> table{{
      {"xla_gpu_all_gather_combine_threshold_bytes", &XlaFlags::all_gather_combine_bytes, 0,
       to_say("all-gathers become one up to so many bytes")},
      {"xla_gpu_all_reduce_combine_threshold_bytes", &XlaFlags::all_reduce_combine_bytes, 0,
       to_say("all-reduces become one up to so many bytes")},
      {"xla_gpu_reduce_scatter_combine_threshold_bytes", &XlaFlags::reduce_scatter_combine_bytes, 0,
       to_say("reduce-scatters become one up to so many bytes")},
      {"xla_gpu_collective_permute_combine_threshold_bytes", &XlaFlags::collective_permute_combine_bytes, 0,
       to_say("permutes become one up to so many bytes")},
      {"xla_gpu_enable_latency_hiding_scheduler", &XlaFlags::latency_hiding_scheduler, 0,
       to_say("work is moved between the start and the end of collectives")},
      {"xla_gpu_experimental_parallel_collective_overlap_limit", &XlaFlags::collectives_in_flight, 1,
       to_say("how many collectives the latency-hiding scheduler has under way at once")},
      {"xla_gpu_enable_pipelined_all_gather", &XlaFlags::pipelined_all_gather, 0,
       to_say("a loop gathers what its next round needs")},
      {"xla_gpu_enable_pipelined_all_reduce", &XlaFlags::pipelined_all_reduce, 0,
       to_say("a loop adds up what its last round made")},
      {"xla_gpu_enable_pipelined_reduce_scatter", &XlaFlags::pipelined_reduce_scatter, 0,
       to_say("a loop reduce-scatters what its last round made")},
      {"xla_gpu_enable_pipelined_collectives", &XlaFlags::pipelined_collectives, 0,
       to_say("all three of these")},
      {"xla_gpu_enable_while_loop_double_buffering", &XlaFlags::while_loop_double_buffering, 0,
       to_say("a loop with collectives does two rounds at once")},
      {"xla_gpu_collective_permute_decomposer_threshold", &XlaFlags::permute_decomposer_bytes, 0,
       to_say("permutes round a ring from so many bytes on become two, the link that closes the ring apart")},
      {"xla_gpu_enable_highest_priority_async_stream", &XlaFlags::highest_priority_async_stream, 0,
       to_say("collectives go first when the program runs; the module stays the same")},
  }};
  return table;
}

std::optional<bool> truth_of(std::string_view text) {
  const std::string small = small_letters(text);
  if (small == "true" || small == "1") return true;
  if (small == "false" || small == "0") return false;
  return std::nullopt;
}

std::optional<int64_t> number_of(std::string_view text, int64_t least) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out < least) return std::nullopt;
  return out;
}

std::string value_text(const XlaFlags& flags, const Place& place) {
  if (const auto* truth = std::get_if<bool XlaFlags::*>(&place)) return flags.**truth ? "true" : "false";
  return std::to_string(flags.*std::get<int64_t XlaFlags::*>(place));
}

std::string known_flags() {
  std::vector<std::string> names;
  for (const Flag& flag : flag_table()) names.emplace_back(flag.name);
  return join(names, ", ");
}

}  // namespace

Result<void> put_xla_flag(std::string_view text, XlaFlags& flags) {
  std::string_view said = text;
  if (said.starts_with("--")) said.remove_prefix(2);
  const size_t equals = said.find('=');
  const std::string_view name = said.substr(0, equals);
  const auto& table = flag_table();
  const auto row = std::ranges::find(table, name, &Flag::name);
  if (row == table.end())
    return invalid(fmt::format("'{}' is no flag that is known here", name), "--xla-flag",
                   fmt::format("known are {}", known_flags()));
  if (equals == std::string_view::npos)
    return invalid(fmt::format("'{}' has no value", name), "--xla-flag", fmt::format("say {}=VALUE", name));
  const std::string_view value = said.substr(equals + 1);
  if (const auto* truth = std::get_if<bool XlaFlags::*>(&row->place)) {
    const auto read = truth_of(value);
    if (!read) return invalid(fmt::format("{} is '{}', expected true or false", name, value), "--xla-flag");
    flags.** truth = *read;
    return {};
  }
  const auto read = number_of(value, row->least);
  if (!read)
    return invalid(fmt::format("{} is '{}', expected a whole number from {} on", name, value, row->least),
                   "--xla-flag");
  flags.*std::get<int64_t XlaFlags::*>(row->place) = *read;
  return {};
}

std::vector<XlaFlagRow> xla_flag_rows(const XlaFlags& flags) {
  const XlaFlags unsaid;
  std::vector<XlaFlagRow> out;
  for (const Flag& flag : flag_table())
    out.push_back(
        {flag.name, value_text(flags, flag.place), value_text(unsaid, flag.place), said(flag.what)});
  return out;
}

}  // namespace shardscope::inline backend
