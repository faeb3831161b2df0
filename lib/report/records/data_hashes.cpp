// SPDX-License-Identifier: Apache-2.0
#include "report/records/data_hashes.h"

#include "core/columns.h"

namespace spb::report {

std::string DataHashes::add(const Record& row) {
  const std::string& hash = row.text(columns::dataset_sha256);
  const std::string& dataset = row.text(columns::dataset);
  if (hash.empty() || dataset.empty()) return {};
  const std::string& first = hashes_.try_emplace(dataset, hash).first->second;
  if (first == hash) return {};
  return "two versions of " + dataset + ", " + columns::dataset_sha256.name + " " +
         shortened_hash(first) + " and " + shortened_hash(hash);
}

std::string shortened_hash(const std::string& hash) { return hash.substr(0, 12); }

}  // namespace spb::report
