// SPDX-License-Identifier: Apache-2.0
// GLib's GModule.
#include <gmodule.h>

#include "plain.h"

namespace {

class Library {
 public:
  explicit Library(const std::string &path) : module_(g_module_open(path.c_str(), G_MODULE_BIND_LOCAL)) {
    rivals::expect(module_ != nullptr, path);
  }
  bkr_create_backend_fn create() const {
    gpointer symbol = nullptr;
    rivals::expect(g_module_symbol(module_, "create_backend", &symbol), "g_module_symbol");
    return reinterpret_cast<bkr_create_backend_fn>(symbol);
  }
  void close() { g_module_close(module_); }

 private:
  GModule *module_;
};

}  // namespace

int main(int argc, char **argv) {
  return rivals::run(argc, argv, {{"load", rivals::load<Library>}, {"load_unload", rivals::load_unload<Library>}});
}
