// SPDX-License-Identifier: Apache-2.0
#include "discover/scan_cache.h"

#include <backend_registry/version.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <type_traits>

#include "base/hash.h"
#include "base/text.h"
#include "discover/image.h"

namespace bkr::core {

namespace {

// To be raised whenever other facts are read from the same bytes, or are written otherwise.
constexpr uint32_t kFormat = 2;

// Far more than any machine's plugins need: a reader is not to be kept busy by a file that grew out of hand, nor a
// writer by one plugin of a thousand records.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostFacts = std::size_t{64} << 10;

// A file that is gone, or of a directory that this user no longer searches, is forgotten after as many changes.
constexpr uint32_t kMostMissed = 16;

constexpr int64_t kSettled = 2'000'000'000;  // ns

// Who writes a file through a mapping, as some linkers do, changes its time with the first byte of each page, and then
// no more until the system has written that page back, by default half a minute later: what is half written may be
// whole under the same time. (A file system in memory writes nothing back. There, only who pauses for a minute is taken
// for done.)
constexpr int64_t kComplete = 60'000'000'000;  // ns

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

// Homes are shared between versions and machines.
std::string file_name() {
  const std::string_view machine = own_machine();
  return cat("scan-", BKR_VERSION, "-", machine.substr(0, machine.find(',')), ".cache");
}

}  // namespace

// The file: this head, then for each file an Entry and its facts, sorted by identity. Numbers are as this machine keeps
// them.
struct ScanCache::Head {
  char magic[8] = {'B', 'K', 'R', 's', 'c', 'a', 'n', '\n'};
  uint32_t format = kFormat;
  uint32_t abi_version = BKR_ABI_VERSION;
  char core[112] = {};  // version and machine, which reasons name
  uint32_t byte_order = 0x01020304;
  uint32_t count = 0;     // of entries
  uint64_t checksum = 0;  // of all that follows
};

ScanCache::Head ScanCache::own_head() {
  Head head;
  static_assert(sizeof head == 144 && std::has_unique_object_representations_v<Head>);
  static_assert(std::has_unique_object_representations_v<Entry>);
  std::strncpy(head.core, cat(BKR_VERSION, ", ", own_machine()).c_str(), sizeof head.core - 1);
  return head;
}

ScanCache::ScanCache(std::string directory, int64_t now_ns)
    : directory_(std::move(directory)), path_(cat(directory_, "/", file_name())), now_ns_(now_ns) {
  file_ = read_private_file(directory_, path_, kMostBytes);
  entries_ = entries_of(file_.view());
}

int64_t ScanCache::system_clock_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

ScanCache::Entries ScanCache::entries_of(std::string_view file) {
  Head head, expected = own_head();
  if (!take(file, head)) return {};
  expected.count = head.count;
  expected.checksum = hash_text(file);
  if (std::memcmp(&head, &expected, sizeof head) != 0 || head.count > file.size() / sizeof(Entry)) return {};
  Entries entries(head.count);
  for (auto &[entry, facts] : entries) {
    if (!take(file, entry) || entry.size > std::min(file.size(), kMostFacts)) return {};
    facts = file.substr(0, entry.size);
    file.remove_prefix(entry.size);
    ++entry.missed;
  }
  return file.empty() ? entries : Entries();
}

bool ScanCache::find(const FileIdentity &identity, FileFacts &facts) {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), identity,
                       [](const auto &known, const FileIdentity &asked) { return known.first.identity < asked; });
  if (found == entries_.end() || found->first.identity != identity) return false;
  found->first.missed = 0;
  return decode(found->second, facts);
}

void ScanCache::keep(const FileIdentity &identity, const FileFacts &facts) {
  if (identity.mtime_ns > now_ns_ - kComplete || identity.ctime_ns > now_ns_ - kSettled) return;
  // In an image that is mounted (squashfs) both times are the image's, and another image may have the same inodes.
  if (identity.mtime_ns == identity.ctime_ns && identity.ctime_ns % 1'000'000'000 == 0) return;
  std::string bytes = encode(facts);
  if (bytes.size() <= kMostFacts) added_.emplace_back(identity, std::move(bytes));
}

// What is new first, then what was met: what there is no room for is what matters least.
ScanCache::Entries ScanCache::entries_to_write() const {
  Entries all;
  for (const auto &[identity, facts] : added_)
    all.push_back({{identity, 0, static_cast<uint32_t>(facts.size())}, facts});
  for (const bool met : {true, false}) {
    for (const auto &known : entries_) {
      if ((known.first.missed == 0) == met && known.first.missed <= kMostMissed) all.push_back(known);
    }
  }
  std::size_t left = kMostBytes - sizeof(Head);
  const auto full = std::find_if(all.begin(), all.end(), [&](const auto &entry) {
    const std::size_t size = sizeof(Entry) + entry.second.size();
    if (size > left) return true;
    left -= size;
    return false;
  });
  all.erase(full, all.end());
  const auto identity = [](const auto &entry) { return entry.first.identity; };
  // Of a file that was met under two names, or whose facts were of no use, the first is the new one.
  std::stable_sort(all.begin(), all.end(), [&](const auto &a, const auto &b) { return identity(a) < identity(b); });
  all.erase(
      std::unique(all.begin(), all.end(), [&](const auto &a, const auto &b) { return identity(a) == identity(b); }),
      all.end());
  return all;
}

Result<void> ScanCache::write() const {
  if (!has_news()) return {};
  std::string body;
  Head head = own_head();
  for (const auto &[entry, facts] : entries_to_write()) {
    put(body, entry);
    body += facts;
    ++head.count;
  }
  head.checksum = hash_text(body);
  std::string file;
  file.reserve(sizeof head + body.size());
  put(file, head);
  return write_private_file(directory_, path_, file += body);
}

}  // namespace bkr::core
