//===- Simplify.cpp - Smaller modules of a module -------------------------===//

#include "RandomModule.h"
#include "llvm/ADT/STLExtras.h"

using namespace attn_random;

namespace {

/// Collects modules that differ from one in one respect.
class Simplifier {
public:
  explicit Simplifier(const RandomModule &module) : m(module) {}

  std::vector<RandomModule> run() {
    dropLists();
    dropFeatures();
    shrinkSizes();
    simplifyNumbers();
    return std::move(results);
  }

private:
  /// Adds what `change` makes of the module.
  template <typename Change> void add(Change change) {
    results.push_back(m);
    change(results.back());
  }
  /// Sets a member to a plain value if it is not that yet.
  template <typename Member, typename Value>
  void set(Member RandomModule::*member, Value value) {
    if (!(m.*member == Member(value)))
      add([&](RandomModule &n) { n.*member = value; });
  }

  template <typename List> void dropEach(List RandomModule::*list) {
    if ((m.*list).size() > 1)
      add([&](RandomModule &n) { (n.*list).clear(); });
    for (size_t i = 0; i < (m.*list).size(); ++i)
      add([&](RandomModule &n) { (n.*list).erase((n.*list).begin() + i); });
  }

  void dropLists() {
    dropEach(&RandomModule::parts);
    dropEach(&RandomModule::reads);
    dropEach(&RandomModule::schedule);
    dropEach(&RandomModule::lower);
  }

  void dropFeatures() {
    if (m.mask.kind != Mask::None)
      add([](RandomModule &n) { n.mask = {}; });
    set(&RandomModule::values, Values::Normal);
    set(&RandomModule::pageSize, int64_t(0));
    if (!m.pageSize)
      set(&RandomModule::lengths, std::string());
    if (!m.offsets.empty())
      add([](RandomModule &n) {
        n.offsets.clear();
        n.packsQueries = n.packsKeys = false;
      });
    if (m.packsQueries && m.packsKeys)
      for (bool RandomModule::*side :
           {&RandomModule::packsQueries, &RandomModule::packsKeys})
        add([&](RandomModule &n) { n.*side = false; });
    set(&RandomModule::earlier, false);
    if (m.scaleBlock)
      add([](RandomModule &n) {
        n.scaleBlock = 0;
        n.scalesKeys = n.scalesValues = false;
      });
    if (m.scalesKeys && m.scalesValues)
      for (bool RandomModule::*of :
           {&RandomModule::scalesKeys, &RandomModule::scalesValues})
        add([&](RandomModule &n) { n.*of = false; });
    set(&RandomModule::lse, false);
    set(&RandomModule::bshd, false);
    set(&RandomModule::deviceRowBytes, 0);
    set(&RandomModule::gaps, std::vector<int64_t>{8});
    set(&RandomModule::groupHeads, 1);
    set(&RandomModule::kvHeads, 1);
    if (m.target != "cpu" && m.mode == Mode::Run)
      add([](RandomModule &n) { n.target = "cpu"; });
    for (size_t i = 0; i < m.axes.size(); ++i)
      if (m.axes[i].isStatic)
        add([&](RandomModule &n) { n.axes[i].isStatic = false; });
    for (size_t i = 0; i < m.parts.size(); ++i)
      if (m.parts[i].captured)
        add([&](RandomModule &n) { n.parts[i].captured = false; });
  }

  void shrinkSizes() {
    for (size_t i = 0; i < m.axes.size(); ++i) {
      int64_t size = m.axes[i].size;
      for (int64_t smaller : {size > 1 ? int64_t(1) : size, size / 2, size - 1})
        if (smaller >= 0 && smaller < size)
          add([&](RandomModule &n) { n.axes[i].size = smaller; });
    }
    for (int64_t RandomModule::*dim :
         {&RandomModule::qkDim, &RandomModule::valueDim})
      for (int64_t smaller : {int64_t(16), m.*dim / 16 * 8})
        if (smaller >= 8 && smaller < m.*dim)
          add([&](RandomModule &n) { n.*dim = smaller; });
  }

  void simplifyNumbers() {
    set(&RandomModule::scale, 0.125f);
    for (int64_t Mask::*side : {&Mask::left, &Mask::right})
      if (m.mask.*side > 1)
        add([&](RandomModule &n) { n.mask.*side /= 2; });
    for (size_t i = 0; i < m.parts.size(); ++i)
      if (std::abs(m.parts[i].number) > 10 && std::isfinite(m.parts[i].number))
        add([&](RandomModule &n) { n.parts[i].number /= 10; });
  }

  const RandomModule &m;
  std::vector<RandomModule> results;
};

} // namespace

std::vector<RandomModule> attn_random::simplify(const RandomModule &module) {
  return Simplifier(module).run();
}
