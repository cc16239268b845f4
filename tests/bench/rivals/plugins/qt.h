// SPDX-License-Identifier: Apache-2.0
#ifndef BKR_TESTS_BENCH_RIVALS_QT_H
#define BKR_TESTS_BENCH_RIVALS_QT_H

// A plugin of Qt's own kind: an object whose description moc puts into the file.
#include <QtCore/QObject>
#include <QtCore/QtPlugin>

class RivalPlugin : public QObject {
  Q_OBJECT
  Q_PLUGIN_METADATA(IID "org.example.rival" FILE "qt.json")
};

#endif  // BKR_TESTS_BENCH_RIVALS_QT_H
