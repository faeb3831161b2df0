// SPDX-License-Identifier: Apache-2.0
#include "config/config_hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <set>
#include <stdexcept>

namespace spb::config {

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 failed");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string config_hash(std::span<const CaseSpec> cases,
                        const std::map<std::string, std::string>& others) {
  std::set<std::string> lines;
  for (const CaseSpec& spec : cases) lines.insert("case " + full_text(spec));
  for (const auto& [name, value] : others) lines.insert("option " + name + "=" + value);
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return sha256_hex(text);
}

}  // namespace spb::config
