/* SPDX-License-Identifier: Apache-2.0 */
/* Each case has one fault. Compiled as C and as C++ by the tests of CMakeLists.txt. */
#include <backend_registry/plugin.h>

#define TEN(x) x x x x x x x x x x
#define ONE(family, name, path, symbol) BKR_BACKEND(family, name, path, symbol, "", "", 0)

int answer(void);
extern const char *const text;

#if defined(CASE_mistyped_symbol)
BKR_PLUGIN("id", "1", ONE("attention", "N", "p.q", create_backnd));
#elif defined(CASE_wrong_signature)
BKR_PLUGIN("id", "1", ONE("attention", "N", "p.q", answer));
#elif defined(CASE_family_too_long)
BKR_PLUGIN("id", "1", ONE("aa" TEN("bbb"), "N", "p.q", create_backend));
#elif defined(CASE_path_too_long)
BKR_PLUGIN("id", "1", ONE("attention", "N", "pp" TEN("qqqqqqqqqqqqqqqqqqq"), create_backend));
#elif defined(CASE_id_too_long)
BKR_PLUGIN("iiiiii" TEN("ddddddddd"), "1", ONE("attention", "N", "p.q", create_backend));
#elif defined(CASE_empty_name)
BKR_PLUGIN("id", "1", ONE("attention", "", "p.q", create_backend));
#elif defined(CASE_empty_path)
BKR_PLUGIN("id", "1", ONE("attention", "N", "", create_backend));
#elif defined(CASE_empty_id)
BKR_PLUGIN("", "1", ONE("attention", "N", "p.q", create_backend));
#elif defined(CASE_empty_version)
BKR_PLUGIN("id", "", ONE("attention", "N", "p.q", create_backend));
#elif defined(CASE_no_backend)
BKR_PLUGIN("id", "1", );
#elif defined(CASE_text_in_a_variable)
BKR_PLUGIN("id", "1", ONE("attention", text, "p.q", create_backend));
#elif defined(CASE_name_is_no_identifier)
BKR_PLUGIN("id", "1", ONE("attention", "NAME-1", "p.q", create_backend));
#elif defined(CASE_longest)
BKR_PLUGIN("iiiii" TEN("ddddddddd"), "v" TEN("123"),
           BKR_BACKEND("a" TEN("bbb"), "aaa" TEN("bbbbbb"), "p" TEN("qqqqqqqqqqqqqqqqqqq"), create_backend,
                       "iii" TEN("dddddd"), "c" TEN("ddd"), 0));
#else
#error "no case was named"
#endif
