/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of GStreamer's own kind, with one element that does nothing. Its description stands under the name that
 * serves any file name, so that a copy can be called as it likes. */
#include <gst/gst.h>

typedef struct {
  GstElement parent;
} Rival;
typedef struct {
  GstElementClass parent;
} RivalClass;

static void init_class(gpointer type, gpointer data) {
  (void)data;
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(type), "rival", "Generic", "does nothing", "example.org");
}

static gboolean init_plugin(GstPlugin *plugin) {
  const GTypeInfo info = {sizeof(RivalClass), NULL, NULL, init_class, NULL, NULL, sizeof(Rival), 0, NULL, NULL};
  const GType type = g_type_register_static(GST_TYPE_ELEMENT, "RIVAL_0000", &info, 0);
  return gst_element_register(plugin, "RIVAL_0000", GST_RANK_NONE, type);
}

GST_PLUGIN_EXPORT GstPluginDesc gst_plugin_desc = {
    GST_VERSION_MAJOR, GST_VERSION_MINOR,     "RIVAL_0000",   "a rival",
    init_plugin,       "1.0.0",               "LGPL",         "rivals",
    "rivals",          "https://example.org", "2026-01-01",   GST_PADDING_INIT};
