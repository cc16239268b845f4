// SPDX-License-Identifier: Apache-2.0
// A plugin of class_loader's own kind: a class that a static object registers when the library is opened. The class is
// hidden, so that the number that a copy gets in place of 0000 changes no symbol that the system's loader looks for.
#include "class_loader.h"

#include <class_loader/class_loader.hpp>

class RIVAL_0000 : public rivals::Base {};

CLASS_LOADER_REGISTER_CLASS(RIVAL_0000, rivals::Base)
