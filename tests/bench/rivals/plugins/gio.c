/* SPDX-License-Identifier: Apache-2.0 */
/* A module of GIO's own kind: it adds a type when it is loaded, and says which extension point that is for. */
#include <gio/gio.h>

typedef struct {
  GObject parent;
} Rival;
typedef struct {
  GObjectClass parent;
} RivalClass;

static void init_class(gpointer type, gpointer data) {
  (void)type;
  (void)data;
}

G_MODULE_EXPORT void g_io_module_load(GIOModule *module) {
  const GTypeInfo info = {sizeof(RivalClass), NULL, NULL, init_class, NULL, NULL, sizeof(Rival), 0, NULL, NULL};
  const GType type = g_type_module_register_type(G_TYPE_MODULE(module), G_TYPE_OBJECT, "RIVAL_0000", &info, 0);
  g_io_extension_point_implement("rival", type, "RIVAL_0000", 0);
}

G_MODULE_EXPORT void g_io_module_unload(GIOModule *module) { (void)module; }

G_MODULE_EXPORT char **g_io_module_query(void) {
  static gchar point[] = "rival";
  gchar *points[] = {point, NULL};
  return g_strdupv(points);
}
