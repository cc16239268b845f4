// SPDX-License-Identifier: Apache-2.0
#include "case_document.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

namespace bkr::test {
namespace {

// A number of JSON, without a fraction where it has none.
Json number_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == std::floor(value) && std::fabs(value) < 1e15) return static_cast<int64_t>(value);
  return value;
}

// One line for each member, so that a change is readable.
std::string text_of(const Json &document) {
  std::ostringstream text;
  text << "{\n";
  std::size_t left = document.size();
  for (const auto &[key, value] : document.items()) {
    text << "  " << Json(key).dump() << ": ";
    if ((key == "tensors" || key == "expected") && value.is_object()) {
      text << "{\n";
      std::size_t inner = value.size();
      for (const auto &[name, tensor] : value.items()) {
        text << "    " << Json(name).dump() << ": " << tensor.dump() << (--inner > 0 ? ",\n" : "\n");
      }
      text << "  }";
    } else {
      text << value.dump();
    }
    text << (--left > 0 ? ",\n" : "\n");
  }
  text << "}\n";
  return text.str();
}

}  // namespace

double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return std::strtod(text, nullptr);
}

Json tensor_of(std::string_view dtype, const Shape &shape, const std::function<double(int64_t)> &value) {
  Json data = Json::array();
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  for (int64_t i = 0; i < count; ++i) data.push_back(number_of(value(i)));
  return {{"dtype", dtype}, {"shape", shape}, {"data", data}};
}

Json tensor_of(StridedTensor &tensor) {
  const tool::NumberType &type = *tool::find_number_type(tensor.dtype());
  const DLTensor view = *tensor.view();
  const std::byte *first = static_cast<const std::byte *>(view.data) + view.byte_offset;
  return tensor_of(tensor.dtype(), tensor.shape(), [&](int64_t i) {
    return tool::read_number(type.dtype, first + i * static_cast<int64_t>(type.bytes));
  });
}

Json result_of(const Shape &shape, const std::vector<double> &values) {
  return tensor_of("float32", shape, [&](int64_t i) { return rounded(values[static_cast<std::size_t>(i)]); });
}

int write_or_check(const std::map<std::string, Json> &cases, const std::string &folder, bool check) {
  int wrong = 0;
  for (const auto &[name, document] : cases) {
    const std::string path = folder + "/" + name + ".json";
    const std::string text = text_of(document);
    if (!check) {
      std::ofstream(path, std::ios::binary) << text;
      continue;
    }
    std::ostringstream found;
    std::ifstream file(path, std::ios::binary);
    found << file.rdbuf();
    if (found.str() == text) continue;
    std::fprintf(stderr, "%s is not what this program makes; write it anew, or mend the reference\n", path.c_str());
    ++wrong;
  }
  return wrong == 0 ? 0 : 1;
}

int make_cases(int count, char **arguments, std::map<std::string, Json> (*cases)()) {
  const bool check = count == 3 && std::strcmp(arguments[1], "--check") == 0;
  if (count != 2 && !check) {
    std::fprintf(stderr, "usage: %s [--check] FOLDER\n", arguments[0]);
    return 2;
  }
  return write_or_check(cases(), arguments[count - 1], check);
}

}  // namespace bkr::test
