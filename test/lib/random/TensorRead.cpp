//===- TensorRead.cpp - A captured tensor that a region reads -------------===//

#include "TensorRead.h"
#include "ScoreParts.h"
#include "llvm/ADT/StringExtras.h"

using namespace attn_random;

std::string TensorRead::type(llvm::ArrayRef<std::string> sizes) const {
  std::string text = "tensor<";
  for (unsigned dim = 0; dim < kRank; ++dim)
    text += (by[dim] ? sizes[dim] : "1") + "x";
  return text + element + ">";
}

std::string TensorRead::print(llvm::raw_ostream &os, const std::string &prefix,
                              const std::string &in, const std::string &tensor,
                              const std::string &type) const {
  const char *const names[] = {"%b", "%h", "%i", "%j"};
  std::string name = "%" + prefix, zero = name + "z", number = name + "e";
  std::vector<std::string> indices;
  for (unsigned dim = 0; dim < kRank; ++dim)
    indices.push_back(by[dim] ? names[dim] : zero);
  os << "    " << zero << " = arith.constant 0 : index\n    " << number
     << " = attn.gather " << tensor << "[" << llvm::join(indices, ", ")
     << "] : " << type << " -> " << element << "\n";
  if (element != "f32") {
    os << "    " << number << "w = arith.extf " << number << " : " << element
       << " to f32\n";
    number += "w";
  }
  std::string out = name + "r";
  if (!masks) {
    os << "    " << out << " = arith.addf " << in << ", " << number
       << " : f32\n";
    return out;
  }
  os << "    " << name << "l = arith.constant " << exact(least)
     << " : f32\n    " << name << "c = arith.cmpf oge, " << number << ", "
     << name << "l : f32\n";
  if (in.empty())
    return name + "c";
  os << "    " << out << " = arith.andi " << in << ", " << name << "c : i1\n";
  return out;
}

TensorRead attn_random::makeTensorRead(Random &random) {
  TensorRead read;
  const char *const elements[] = {"f32", "bf16", "f16"};
  read.element = random.pick(elements);
  for (bool &by : read.by)
    by = random.oneIn(2);
  // A bias is by the query and the key, as a rule.
  if (random.oneIn(3))
    read.by[2] = read.by[3] = true;
  read.masks = random.oneIn(2);
  read.least = float(random.integer(-8, 8)) / 4;
  return read;
}
