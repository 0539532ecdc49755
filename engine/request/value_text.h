// SPDX-License-Identifier: Apache-2.0
// Values as the text that people type: to_text(x) is read back equal by from_text. What is optional is ""
// when unset. Errors have no place yet.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request/experiment.h"

namespace shardscope::inline request {

std::string to_text(const std::string& value);
std::string to_text(bool value);  // "on", "off"
std::string to_text(int32_t value);
std::string to_text(int64_t value);
std::string to_text(uint64_t value);
std::string to_text(double value);
std::string to_text(ElementType value);
std::string to_text(Fill value);
std::string to_text(KernelTiming value);
std::string to_text(SumType value);
std::string to_text(Propagation value);
std::string to_text(Results value);
std::string to_text(Partitioner value);
std::string to_text(CompileAs value);
std::string to_text(const RegionGrid& value);  // "8x8"
std::string to_text(CollectiveAlgorithm value);
std::string to_text(const PartitionSpec& value);
std::string to_text(const std::map<std::string, std::string>& value);  // "row=b,col=a"
std::string to_text(const std::vector<std::string>& value);            // a JSON array
std::string to_text(const std::vector<DeviceOverride>& value);         // "3=0.5,1=0.25"
std::string to_text(const std::vector<LinkOverride>& value);           // "0-1=0.25"
std::string to_text(const std::vector<AxisOverride>& value);           // "col=x2,row=0"
std::string to_text(const NumberChange& value);                        // "x2"
std::string to_text(const AxisPlacement& value);                       // "row=network"
std::string to_text(const std::vector<int32_t>& device_order);         // "0,2,1,3"

Result<void> from_text(std::string_view text, std::string& out);
Result<void> from_text(std::string_view text, bool& out);
Result<void> from_text(std::string_view text, int32_t& out);
Result<void> from_text(std::string_view text, int64_t& out);
Result<void> from_text(std::string_view text, uint64_t& out);
Result<void> from_text(std::string_view text, double& out);  // finite, not negative
Result<void> from_text(std::string_view text, ElementType& out);
Result<void> from_text(std::string_view text, Fill& out);
Result<void> from_text(std::string_view text, KernelTiming& out);
Result<void> from_text(std::string_view text, SumType& out);
Result<void> from_text(std::string_view text, Propagation& out);
Result<void> from_text(std::string_view text, Results& out);
Result<void> from_text(std::string_view text, Partitioner& out);
Result<void> from_text(std::string_view text, CompileAs& out);
Result<void> from_text(std::string_view text, RegionGrid& out);
Result<void> from_text(std::string_view text, CollectiveAlgorithm& out);
Result<void> from_text(std::string_view text, PartitionSpec& out);
Result<void> from_text(std::string_view text, std::map<std::string, std::string>& out);
Result<void> from_text(std::string_view text, std::vector<std::string>& out);
Result<void> from_text(std::string_view text, std::vector<DeviceOverride>& out);
Result<void> from_text(std::string_view text, std::vector<LinkOverride>& out);
Result<void> from_text(std::string_view text, std::vector<AxisOverride>& out);
Result<void> from_text(std::string_view text, NumberChange& out);
Result<void> from_text(std::string_view text, AxisPlacement& out);
Result<void> from_text(std::string_view text, std::vector<int32_t>& device_order);

template <class T>
std::string to_text(const std::optional<T>& value) {
  return value ? to_text(*value) : "";
}
template <class T>
Result<void> from_text(std::string_view text, std::optional<T>& out) {
  out.reset();
  return text.empty() ? Result<void>() : from_text(text, out.emplace());
}

}  // namespace shardscope::inline request
