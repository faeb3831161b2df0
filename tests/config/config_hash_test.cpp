// SPDX-License-Identifier: Apache-2.0
#include "config/config_hash.h"

#include <gtest/gtest.h>

namespace spb::config {
namespace {

TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ConfigHash, ForgetsOrderAndKeepsEverythingElse) {
  CaseSpec a, b;
  a.dataset = std::string("a");
  b.dataset = std::string("b");
  const CaseSpec ab[] = {a, b}, ba[] = {b, a}, only[] = {a};
  EXPECT_EQ(config_hash(ab), config_hash(ba));
  EXPECT_NE(config_hash(ab), config_hash(only));
  EXPECT_NE(config_hash(ab), config_hash(ab, {{"fill", "relu"}}));
  EXPECT_NE(config_hash(ab, {{"fill", "relu"}}), config_hash(ab, {{"fill", "range"}}));
}

}  // namespace
}  // namespace spb::config
