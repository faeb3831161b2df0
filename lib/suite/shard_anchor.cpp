// SPDX-License-Identifier: Apache-2.0
#include "suite/shard_anchor.h"

#include <algorithm>

#include "gpu/device_info.h"
#include "suite/environment.h"

namespace spb::suite {

config::CaseSpec anchor_case(std::span<const Algorithm> algorithms) {
  config::CaseSpec anchor;
  anchor.dataset = "sphere:64";
  anchor.algorithm = algorithms.front().name;
  anchor.problem.c_in = anchor.problem.c_out = 64;
  anchor.problem.dtype = Dtype::f16;
  if (gpu::on_host()) {
    anchor.dataset = "sphere:16";
    anchor.problem.c_in = anchor.problem.c_out = 8;
    anchor.problem.dtype = Dtype::f32;
  }
  return anchor;
}

Record anchor_record(const config::CaseSpec& anchor, std::span<const Record> rows) {
  const auto is_hot_kernel = [](const Record& row) {
    return row.get(columns::phase) == Phase::kernel && row.get(columns::cache) == CacheState::hot;
  };
  const auto found = std::ranges::find_if(rows, is_hot_kernel);
  const Record& row = found == rows.end() ? rows.front() : *found;
  Record record;
  record.named("case") = config::case_id(anchor);
  for (const ColumnName column :
       {ColumnName(columns::status), ColumnName(columns::status_detail),
        ColumnName(columns::kernel), ColumnName(columns::time_median_us),
        ColumnName(columns::time_ci95_lo_us), ColumnName(columns::time_ci95_hi_us),
        ColumnName(columns::sm_clock_mhz), ColumnName(columns::power_w),
        ColumnName(columns::temp_c)})
    record.named(column.name) = row.value(column);
  record[columns::timestamp_utc] = utc_now();
  return record;
}

}  // namespace spb::suite
