// SPDX-License-Identifier: Apache-2.0
// Reads damaged files by the thousand, and watches what that allocates.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "allocation_watch.h"
#include "fixture.h"

namespace bkr::core::testing {
namespace {

constexpr std::size_t kRegion = 4096;

// A copy of the good plugin that is damaged in place and mended again.
class Patient {
 public:
  Patient() : whole_(fixture("good.so")) {
    write_file(dir_ / "x.so", whole_);
    handle_ = ::open((dir_ / "x.so").c_str(), O_WRONLY);
  }
  ~Patient() { ::close(handle_); }

  std::size_t size() const { return whole_.size(); }

  void damage(std::size_t at, std::string_view bytes) { put(at, bytes); }
  void mend(std::size_t at, std::size_t length) { put(at, std::string_view(whole_).substr(at, length)); }

  // Inspection ends, with a verdict that makes sense, and allocates nothing that the file is too small for.
  void expect_sane(std::string_view what) {
    forget_allocations();
    const PluginFile file = inspect_file(dir_ / "x.so", {});
    const std::size_t largest = largest_allocation();
    EXPECT_LE(largest, std::max<std::size_t>(size(), kRegion)) << what;
    if (!file.failure) {
      EXPECT_LE(file.image.load_begin, file.image.load_end) << what;
      return;
    }
    const bkr_status status = file.failure->status;
    EXPECT_TRUE(status == BKR_BAD_FILE || status == BKR_WRONG_PLATFORM || status == BKR_BAD_DESCRIPTOR ||
                status == BKR_ABI_MISMATCH)
        << what << ": " << file.failure->reason;
    EXPECT_GE(file.failure->stage, BKR_STAGE_FORMAT) << what;
    EXPECT_LE(file.failure->stage, BKR_STAGE_CPU) << what;
  }

 private:
  void put(std::size_t at, std::string_view bytes) {
    ASSERT_EQ(::pwrite(handle_, bytes.data(), bytes.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(bytes.size()));
  }

  TempDir dir_;
  std::string whole_;
  int handle_ = -1;
};

TEST(Case, F6_AnyByteOfTheFirst4KiBChanged) {
  Patient patient;
  for (std::size_t at = 0; at < kRegion; ++at) {
    for (const char value : {'\0', '\x7f', '\x80', '\xff'}) {
      patient.damage(at, {&value, 1});
      patient.expect_sane("byte " + std::to_string(at) + " = " + std::to_string(static_cast<unsigned char>(value)));
    }
    patient.mend(at, 1);
  }
}

TEST(Case, F6_SeveralBytesChangedBy2000Seeds) {
  Patient patient;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
    const std::size_t count = 1 + below(8);
    for (std::size_t i = 0; i < count; ++i) {
      // Half of them where the headers are, where a byte means most.
      const std::size_t at = below(2) == 0 ? below(768) : below(kRegion - 8);
      std::string bytes;
      for (std::size_t length = below(2) == 0 ? 1 : 8; length > 0; --length) bytes += static_cast<char>(random());
      if (below(4) == 0) std::fill(bytes.begin(), bytes.end(), '\xff');
      patient.damage(at, bytes);
    }
    patient.expect_sane("seed " + std::to_string(seed));
    patient.mend(0, kRegion);
  }
}

}  // namespace
}  // namespace bkr::core::testing
