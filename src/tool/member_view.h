// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TOOL_MEMBER_VIEW_H
#define BKR_TOOL_MEMBER_VIEW_H

#include <backend_registry/registry.hpp>
#include <string>

#include "document.h"

namespace bkr::tool {

// All that can be told of a member without running code: what list, show and why print.
struct MemberView {
  std::string family;
  std::string name;
  Document default_path;  // a text or null
  std::string path;       // in force, as it was given; empty: none
  Document trace;         // bkr_member_explain()'s document
  Document file;          // bkr_inspect()'s document of the target's file, if it was asked for; else null

  // A file that a path names, and that no search directory holds, the library looks at only when it loads. An
  // operator wants to know now: then the trace has the verdict of the file's bytes, and what its record says.
  std::string status() const { return text_at(trace, "status"); }
  std::string reason() const { return text_at(trace, "reason"); }
  std::string next() const { return text_at(trace, "next"); }
  bool usable() const { return status() == "BKR_OK"; }
  const Document &target() const { return trace["target"]; }
  bool overridden() const { return decided_by() != "default"; }
  std::string decided_by() const { return text_at(trace["path"], "decided_by"); }  // "api", "environment", "default"
  std::string variable() const { return text_at(trace["path"], "variable"); }
};

// with_file: read the target's file, too. (One that was not looked at yet is read in any case.)
MemberView view_member(bkr::member member, bool with_file);

// What was chosen among the trace's candidates; null if nothing was.
Document chosen_candidate(const MemberView &view);

// The view as one flat object, for --json.
Document describe(const MemberView &view);

// "nothing", or "environment variable BKR_…".
std::string decider_text(const MemberView &view);

}  // namespace bkr::tool

#endif  // BKR_TOOL_MEMBER_VIEW_H
