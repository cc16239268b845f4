// SPDX-License-Identifier: Apache-2.0
// Qt 5's QPluginLoader.
#include <QtCore/QDir>
#include <QtCore/QJsonObject>
#include <QtCore/QPluginLoader>

#include "probe.h"

namespace {

using rivals::expect;

constexpr char kSymbol[] = "qt_plugin_instance";

double load_each(const std::string &directory, bool unload) {
  std::vector<QString> paths;
  for (const std::string &path : rivals::libraries_in(directory)) paths.push_back(QString::fromStdString(path));
  const rivals::Stopwatch watch;
  for (const QString &path : paths) {
    QPluginLoader loader(path);
    QObject *made = loader.instance();
    expect(made != nullptr, path.toStdString());
    delete made;
    if (unload) expect(loader.unload(), "unload");
  }
  return watch.ns();
}
double load(const std::string &directory) { return load_each(directory, false); }
double load_unload(const std::string &directory) { return load_each(directory, true); }

double discover(const std::string &directory) {
  int found = 0;
  const rivals::Stopwatch watch;
  const QDir files(QString::fromStdString(directory));
  for (const QString &file : files.entryList(QDir::Files)) {
    found += QPluginLoader(files.filePath(file)).metaData().contains(QStringLiteral("MetaData"));
  }
  const double ns = watch.ns();
  expect(static_cast<std::size_t>(found) == rivals::libraries_in(directory).size(), "metaData");
  return ns;
}

}  // namespace

int main(int argc, char **argv) {
  return rivals::run(argc, argv,
                     {{"raw_load", rivals::raw_load<kSymbol>},
                      {"raw_load_unload", rivals::raw_load_unload<kSymbol>},
                      {"load", load},
                      {"load_unload", load_unload},
                      {"discover", discover}});
}
