// What every row of a run says about its surroundings.
#pragma once

#include <span>
#include <string>

#include "config/case_spec.h"
#include "core/record.h"
#include "load.h"

namespace spb::app {

/// UTC start and six hex digits: "20261121T144216Z-1a2b3c".
std::string new_run_id();

/// RFC 3339: "2026-11-21T14:42:16Z".
std::string utc_now();

/// Columns that are equal in all rows of a run: run_id, device, build.
Record run_columns(const std::string& run_id, int device);

/// The context line: the run's columns, command line, machine.
Record context(const Record& columns, std::span<const std::string> command_line);

/// The command that repeats one case.
std::string repro(const std::string& command, const config::CaseSpec& spec,
                  const ReadSettings& settings);

}  // namespace spb::app
