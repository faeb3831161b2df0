// SPDX-License-Identifier: Apache-2.0
// The counts of all lists of a chain: one scan gives their places, and the host their lengths.
#pragma once

#include <cstdint>
#include <vector>

#include "maps/needs.h"
#include "maps/table/insert_status.h"

namespace spb::maps {

/// Counts of one product among all: [begin, end), the last one closing. `begin` = -1 for none.
struct Counts {
  int64_t begin = -1, end = 0;
  bool wanted() const { return begin >= 0; }
};

/// Where the counts of all products lie, so that one scan serves them.
struct CountLayout {
  Counts pairs;  ///< before all others: their places count from 0
  Counts lists[kMostLists], halos[kMostLists];
  int64_t chunks = 0;  ///< of pairs, per offset
  int32_t kernel_volume = 0;
  int64_t size = 0;

  Counts append(int64_t counts) {
    size += counts;
    return {size - counts, size};
  }
};

/// What the host waits for.
struct CountReport {
  InsertStatus status;
  int64_t lists[kMostLists] = {}, halos[kMostLists] = {};  ///< lengths
  int64_t members = 0;                ///< what `members` of start_scan() counted
  std::vector<int64_t> offset_begin;  ///< [kernel_volume + 1] of pairs, if they are wanted
};

/// uint32_t of scratch that start_scan() needs zero before it.
int64_t scan_zeros(const CountLayout& layout);

/// Of page-locked memory, where a report lands.
int64_t report_bytes(const CountLayout& layout);
/// counts[i] becomes the sum of those before. `members`: one more number to report, or null.
/// `landing`: of report_bytes(). Does not wait.
void start_scan(const CountLayout& layout, int64_t* counts, const InsertStatus* status,
                int64_t* offset_begin, const uint64_t* members, uint32_t* zeros, void* landing,
                const gpu::Stream& stream);
/// What start_scan() reported there, once the device has come so far.
CountReport read_report(const CountLayout& layout, const void* landing);

}  // namespace spb::maps
