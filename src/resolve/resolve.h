// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_RESOLVE_RESOLVE_H
#define BKR_RESOLVE_RESOLVE_H

#include <backend_registry/registry.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "registry/qualified_path.h"
#include "resolve/provisions.h"

namespace bkr::core {

enum class ProviderKind : int32_t {
  in_process = BKR_PROVIDER_IN_PROCESS,
  record = BKR_PROVIDER_RECORD,
  file = BKR_PROVIDER_FILE,
};
std::string_view provider_word(ProviderKind kind) noexcept;  // "in-process", "record", "file"

// What is to be resolved. The names live as long as the registry, as the path does.
struct Question {
  std::string_view family;
  std::string_view member;  // empty: a path that no member has
  std::string variable;     // the environment variable that decided the path; empty if another did
  const QualifiedPath *path;

  // "attention.CUSTOM ('/x/libx.so', from BKR_OVERRIDE_ATTENTION_CUSTOM)": how texts speak of it.
  std::string words() const;

  // A failure told of the question: "…: /x/libx.so cannot be used: …". A file or path that the words name already is
  // not named again: "…: the file cannot be used: …".
  Failure about(Failure failure) const;
};

// The library-plus-symbol pair a path leads to, or the function inside the host. Its texts are those of the question
// and of the provisions, copied by whoever keeps them for longer.
struct Target {
  ProviderKind provider = ProviderKind::record;
  std::string_view family;
  std::string_view path;
  std::string_view file;
  std::string_view symbol;
  std::string_view backend_name;
  std::string_view plugin_id;
  std::string_view interface_id;
  InProcessProvider in_process;
  std::shared_ptr<const PluginFile> facts;  // what was read of the file; null: nobody looked at it yet
  int32_t priority = 0;                     // the record's; 0 where there is none
};

// One provider that was considered, in order. Texts as in Target.
struct Candidate {
  ProviderKind provider;
  std::string_view file;
  std::string_view plugin_id;
  std::string_view cpu_level;
  bool chosen = false;
  bool usable = false;      // would have been chosen had none come before
  std::string reason = {};  // why it was passed over
};

// The answer with all that led to it.
struct Resolution {
  std::vector<Candidate> candidates;
  std::optional<Target> target;
  std::optional<Failure> failure;                          // exactly one of target and failure is there
  std::shared_ptr<const Provisions> provisions = nullptr;  // what was asked: it holds the texts
};

// Where the path leads. Opens nothing, and is pure: the same question and provisions give the same answer.
Resolution resolve(const Question &question, const std::shared_ptr<const Provisions> &provisions);

// The record of a library that `file::symbol` means: the one with that family and symbol; of several the one with
// the member's name. BKR_BAD_PATH lists the records' paths. Null if the library has no descriptor.
Result<const Record *> record_for_symbol(const PluginFile &file, const Question &question);

}  // namespace bkr::core

#endif  // BKR_RESOLVE_RESOLVE_H
