//===- Schedules.cpp - Lists of schedules ---------------------------------===//

#include "Schedules.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace attn;

ScheduleAttr attn::scheduleOf(MLIRContext *context, StringRef fields) {
  std::string text = ("#attn.schedule<" + fields + ">").str();
  return cast<ScheduleAttr>(parseAttribute(text, context));
}

Schedules attn::cross(ArrayRef<ScheduleAttr> left,
                      ArrayRef<ScheduleAttr> right) {
  Schedules result;
  for (ScheduleAttr l : left)
    for (ScheduleAttr r : right)
      result.push_back(r.over(l));
  return result;
}
