// SPDX-License-Identifier: Apache-2.0
// Which data the rows of a run were measured on.
#pragma once

#include <map>
#include <string>

#include "core/record.h"

namespace spb::report {

/// A data set has one name and one hash in a run: rows of two would be ranked, averaged and
/// compared as if they were of one.
class DataHashes {
 public:
  /// Takes in a row. Where its data set has another hash than in the rows before it, both, as
  /// "two versions of scan.bin, dataset_sha256 12ab and 34cd"; else empty. Rows without a hash, of
  /// generators and of cases that could not begin, say nothing.
  std::string add(const Record& row);
  const std::map<std::string, std::string>& by_dataset() const { return hashes_; }

 private:
  std::map<std::string, std::string> hashes_;
};

/// Enough of a hash to tell it from another.
std::string shortened_hash(const std::string& hash);

}  // namespace spb::report
