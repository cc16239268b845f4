// SPDX-License-Identifier: Apache-2.0
#include "case.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

namespace bkr::tool {
namespace {

using nlohmann::json;

constexpr int64_t kMaxElements = int64_t{1} << 30;

const json &member(const json &object, const char *key, const std::string &where) {
  const auto found = object.find(key);
  if (found == object.end()) throw CaseError(where + " has no \"" + key + "\"");
  return *found;
}

const json &object_member(const json &object, const char *key, const std::string &where) {
  const json &found = member(object, key, where);
  if (!found.is_object()) throw CaseError("\"" + std::string(key) + "\" is no object");
  return found;
}

std::string type_list() {
  std::string list;
  for (const NumberType &type : number_types()) list += (list.empty() ? "" : ", ") + std::string(type.name);
  return list;
}

const NumberType &read_type(const json &tensor, const std::string &name) {
  const json &dtype = member(tensor, "dtype", name);
  const NumberType *type = dtype.is_string() ? find_number_type(dtype.get<std::string>()) : nullptr;
  if (type == nullptr) throw CaseError(name + ": dtype is " + dtype.dump() + "; it must be one of " + type_list());
  return *type;
}

std::vector<int64_t> read_shape(const json &tensor, const std::string &name) {
  const json &shape = member(tensor, "shape", name);
  if (!shape.is_array()) throw CaseError(name + ": shape is no list");
  std::vector<int64_t> sizes;
  int64_t count = 1;
  for (const json &size : shape) {
    const bool whole = size.is_number_unsigned() && size.get<uint64_t>() <= static_cast<uint64_t>(kMaxElements);
    if (!whole) throw CaseError(name + ": shape " + shape.dump() + " has a size that is none");
    sizes.push_back(size.get<int64_t>());
    count *= sizes.back();
    if (count > kMaxElements) throw CaseError(name + ": shape " + shape.dump() + " is too large for a case");
  }
  return sizes;
}

std::optional<double> read_double(const json &number) {
  if (number.is_number()) return number.get<double>();
  if (number == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (number == "inf") return std::numeric_limits<double>::infinity();
  if (number == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

CaseTensor read_tensor(const json &from, const std::string &name) {
  if (!from.is_object()) throw CaseError(name + " is no object");
  CaseTensor tensor(read_type(from, name), read_shape(from, name));
  const json &data = member(from, "data", name);
  if (!data.is_array()) throw CaseError(name + ": data is no list");
  if (static_cast<int64_t>(data.size()) != tensor.count()) {
    throw CaseError(name + ": data has " + std::to_string(data.size()) + " numbers, but shape " +
                    from.at("shape").dump() + " needs " + std::to_string(tensor.count()));
  }
  const bool whole = is_whole(tensor.type().dtype);
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const json &number = data[static_cast<std::size_t>(i)];
    const std::optional<double> value = whole ? std::nullopt : read_double(number);
    if (whole ? !number.is_number_integer() : !value) {
      throw CaseError(name + ": data[" + std::to_string(i) + "] is " + number.dump() + ", which is no " +
                      std::string(tensor.type().name));
    }
    if (whole) {
      tensor.set_whole(i, number.get<int64_t>());
    } else {
      tensor.set_number(i, *value);
    }
  }
  return tensor;
}

CaseTensors read_tensors(const json &document, const char *key) {
  CaseTensors tensors;
  for (const auto &[name, value] : object_member(document, key, "the case").items()) {
    tensors.emplace(name, read_tensor(value, std::string(key) + "." + name));
  }
  return tensors;
}

double read_limit(const json &tolerance, const char *key) {
  const json &limit = member(tolerance, key, "\"tolerance\"");
  if (!limit.is_number() || limit.get<double>() < 0) {
    throw CaseError("tolerance." + std::string(key) + " is " + limit.dump() + "; it must be a number, 0 or more");
  }
  return limit.get<double>();
}

}  // namespace

Case parse_case(const std::string &text) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error &failure) {
    throw CaseError(std::string("not JSON: ") + failure.what());
  }
  if (!document.is_object()) throw CaseError("the case is no JSON object");
  Case parsed;
  const json &id = member(document, "interface", "the case");
  if (!id.is_string()) throw CaseError("\"interface\" is no text");
  parsed.interface_id = id.get<std::string>();
  parsed.params = object_member(document, "params", "the case");
  parsed.tensors = read_tensors(document, "tensors");
  parsed.expected = read_tensors(document, "expected");
  const json &tolerance = object_member(document, "tolerance", "the case");
  parsed.tolerance = {read_limit(tolerance, "absolute"), read_limit(tolerance, "relative")};
  return parsed;
}

Case read_case_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // Streaming an empty file in sets failbit on `text`, which is no error of the file.
  if (!file || (text << file.rdbuf(), file.bad())) throw CaseError(path + ": " + std::strerror(errno));
  try {
    return parse_case(text.str());
  } catch (const CaseError &failure) {
    throw CaseError(path + ": " + failure.what());
  }
}

}  // namespace bkr::tool
