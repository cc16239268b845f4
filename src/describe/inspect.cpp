// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <system_error>

#include "describe/describe.h"
#include "describe/document.h"

namespace bkr::core {

Result<std::string> describe_inspection(const std::string &file) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  const PluginFile inspected = inspect_file(error ? file : absolute.string(), InspectRules{});
  if (inspected.failure && inspected.failure->status == BKR_NOT_FOUND) return fail(*inspected.failure);
  JsonWriter json;
  json.object([&] {
    write_file(json, inspected);
    json.key("format").string(inspected.image.format);
    json.key("machine").string(inspected.image.machine);
    json.key("needed").array([&] {
      for (const std::string &library : inspected.image.needed) json.string(library);
    });
    json.key("exports_create_backend").boolean(inspected.image.exports_create_backend);
  });
  return json.take();
}

}  // namespace bkr::core
