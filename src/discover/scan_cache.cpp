// SPDX-License-Identifier: Apache-2.0
#include "discover/scan_cache.h"

#include <backend_registry/version.h>

#include <array>
#include <chrono>
#include <cstring>

#include "base/hash.h"
#include "base/private_file.h"
#include "base/text.h"

namespace bkr::core {

namespace {

// Far more than any machine's plugins need: a reader is not to be kept busy by a file that grew out of hand.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr int64_t kSettled = 2'000'000'000;  // ns

// The file: this head, then an entry's head and its bytes for each entry. Numbers are as this machine keeps them; on
// another one, and in another version, the magic is another.
struct Head {
  std::array<char, 8> magic{'B', 'K', 'R', 's', 'c', 'a', 'n', '\n'};
  uint32_t byte_order = 0x01020304;
  uint32_t abi_version = BKR_ABI_VERSION;
  std::array<char, 24> version{};
  uint64_t checksum = 0;  // of all that follows
};

struct EntryHead {
  FileIdentity identity;
  uint64_t size = 0;
};

Head own_head() {
  Head head;
  std::strncpy(head.version.data(), BKR_VERSION, head.version.size() - 1);
  return head;
}

template <class T>
bool take(std::string_view &bytes, T &value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

template <class T>
void put(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

bool same_but_checksum(Head a, Head b) {
  a.checksum = b.checksum = 0;
  return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace

ScanCache::ScanCache(std::string directory, int64_t now_ns)
    : directory_(std::move(directory)), path_(cat(directory_, "/scan-", BKR_VERSION, ".cache")), now_ns_(now_ns) {
  read();
}

int64_t ScanCache::system_clock_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

void ScanCache::read() {
  std::optional<std::string> bytes = read_private_file(directory_, path_, kMostBytes);
  if (!bytes) return;
  bytes_ = std::move(*bytes);
  std::string_view left = bytes_;
  Head head;
  if (!take(left, head) || !same_but_checksum(head, own_head()) || head.checksum != hash_text(left)) return;
  EntryHead entry;
  while (take(left, entry) && entry.size <= left.size()) {
    entries_.emplace(entry.identity, left.substr(0, entry.size));
    left.remove_prefix(entry.size);
  }
}

std::optional<FileFacts> ScanCache::find(const FileIdentity &identity) const {
  const auto entry = entries_.find(identity);
  return entry == entries_.end() ? std::nullopt : decode(entry->second);
}

void ScanCache::keep(const FileIdentity &identity, const FileFacts &facts) {
  if (facts.image.failure && facts.image.failure->status == BKR_IO_ERROR) return;
  const int64_t settled = now_ns_ - kSettled;
  if (identity.mtime_ns > settled || identity.ctime_ns > settled) return;
  added_.insert_or_assign(identity, encode(facts));
}

Result<void> ScanCache::write() const {
  if (added_.empty()) return {};
  std::string bytes;
  const auto add = [&](const FileIdentity &identity, std::string_view facts) {
    if (sizeof(Head) + bytes.size() + sizeof(EntryHead) + facts.size() > kMostBytes) return;
    put(bytes, EntryHead{identity, facts.size()});
    bytes += facts;
  };
  for (const auto &[identity, facts] : added_) add(identity, facts);
  // Files that this scan did not meet may be another process's: its entries stay.
  for (const auto &[identity, facts] : entries_) {
    if (!added_.contains(identity)) add(identity, facts);
  }
  Head head = own_head();
  head.checksum = hash_text(bytes);
  std::string file;
  put(file, head);
  return write_private_file(directory_, path_, file + bytes);
}

}  // namespace bkr::core
