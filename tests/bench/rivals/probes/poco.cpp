// SPDX-License-Identifier: Apache-2.0
// POCO's SharedLibrary.
#include <Poco/SharedLibrary.h>

#include <memory>

#include "plain.h"

namespace {

class Library {
 public:
  explicit Library(const std::string &path)
      : library_(std::make_unique<Poco::SharedLibrary>(path, Poco::SharedLibrary::SHLIB_LOCAL)) {}
  bkr_create_backend_fn create() const {
    return reinterpret_cast<bkr_create_backend_fn>(library_->getSymbol("create_backend"));
  }
  void close() { library_->unload(); }

 private:
  std::unique_ptr<Poco::SharedLibrary> library_;  // it cannot be moved
};

}  // namespace

int main(int argc, char **argv) {
  return rivals::run(argc, argv, {{"load", rivals::load<Library>}, {"load_unload", rivals::load_unload<Library>}});
}
