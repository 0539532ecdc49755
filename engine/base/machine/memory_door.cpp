// SPDX-License-Identifier: Apache-2.0
#include "engine/base/machine/memory_door.h"

#include <fmt/format.h>
#include <stdexcept>
#include <system_error>

#include "engine/base/machine/memory_here.h"
#include "engine/base/units.h"

namespace shardscope {
namespace {

std::string left() {
  return format_bytes(static_cast<double>(memory_here().usable()));
}

Error in_words(const std::string& where, const std::string& fix) {
  try {
    throw;
  } catch (const MemoryRefused& refused) {
    return too_big(fmt::format("the machine gives no {} of memory more, {} are left",
                               format_bytes(static_cast<double>(refused.bytes())), left()),
                   where, fix);
  } catch (const std::bad_alloc&) {
    return too_big(fmt::format("this machine has no more memory, {} are left", left()), where, fix);
  } catch (const std::length_error&) {
    return too_big("an array would be longer than memory can address", where, fix);
  } catch (const std::system_error& problem) {
    if (problem.code() != std::errc::resource_unavailable_try_again) throw;
    return too_big("this machine has no more threads", where, fix);
  }
}

}  // namespace

Error refused_by_machine(const std::string& where, const std::string& fix) {
  try {
    return in_words(where, fix);
  } catch (const std::bad_alloc&) {
    return {ErrorKind::too_big, "out of memory", {}, {}};  // short enough to need none
  }
}

}  // namespace shardscope
