//===- AttentionOp.cpp - Syntax and verification of attn.attention --------===//

#include "AttentionBlocks.h"
#include "AttentionEarlier.h"
#include "AttentionScales.h"
#include "AttentionValues.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.cpp.inc"

void AttnDialect::registerTensorOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

static ParseResult parseParenthesised(OpAsmParser &parser,
                                      function_ref<ParseResult()> body) {
  return failure(parser.parseLParen() || body() || parser.parseRParen());
}

static ParseResult parseScale(OpAsmParser &parser, OperationState &result) {
  return parseParenthesised(parser, [&]() -> ParseResult {
    APFloat scale(APFloat::IEEEsingle());
    SMLoc loc = parser.getCurrentLocation();
    Type f32 = parser.getBuilder().getF32Type(), type = f32;
    if (parser.parseFloat(APFloat::IEEEsingle(), scale))
      return failure();
    if (succeeded(parser.parseOptionalColon()) && parser.parseType(type))
      return failure();
    if (type != f32)
      return parser.emitError(loc, "expected an f32 scale, but got ") << type;
    result.addAttribute("scale", FloatAttr::get(f32, scale));
    return success();
  });
}

static ParseResult parseLayoutName(OpAsmParser &parser, StringRef attribute,
                                   OperationState &result) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<TensorLayout> layout = symbolizeTensorLayout(keyword);
  if (!layout)
    return parser.emitError(loc, "unknown layout '")
           << keyword << "'; expected bhsd or bshd";
  result.addAttribute(attribute,
                      TensorLayoutAttr::get(parser.getContext(), *layout));
  return success();
}

/// Of all tensors, and perhaps another one of K and V: `bhsd, kv = bshd`.
static ParseResult parseLayout(OpAsmParser &parser, OperationState &result) {
  return parseParenthesised(parser, [&]() -> ParseResult {
    if (parseLayoutName(parser, "layout", result))
      return failure();
    if (parser.parseOptionalComma())
      return success();
    if (parser.parseKeyword("kv") || parser.parseEqual())
      return failure();
    return parseLayoutName(parser, "kvLayout", result);
  });
}

static ParseResult parseValueOrder(OpAsmParser &parser,
                                   OperationState &result) {
  return parseParenthesised(parser, [&]() -> ParseResult {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<ValueOrder> order = symbolizeValueOrder(keyword);
    if (!order)
      return parser.emitError(loc, "unknown order of values '")
             << keyword << "'; expected rows, interleaved or keys";
    result.addAttribute("valueOrder",
                        ValueOrderAttr::get(parser.getContext(), *order));
    return success();
  });
}

static ParseResult
parseOperandClause(OpAsmParser &parser,
                   SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                   SmallVectorImpl<Type> &types) {
  return parseParenthesised(parser, [&]() {
    return failure(parser.parseOperandList(operands) ||
                   parser.parseColonTypeList(types));
  });
}

static ParseResult parseRegionClause(OpAsmParser &parser, Region &region) {
  SMLoc loc = parser.getCurrentLocation();
  if (!region.empty())
    return parser.emitError(loc, "expected one region of each kind, but got a "
                                 "second one");
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments,
                                          OpAsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(region, arguments,
                                    /*enableNameShadowing=*/true));
}

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand, 3> tensors;
  /// The clauses of operands, in the order of the operands.
  struct Clause {
    StringRef keyword, what;
    SmallVector<OpAsmParser::UnresolvedOperand> operands;
    SmallVector<Type> types;
  };
  Clause clauses[] = {{"lengths", "lengths", {}, {}},
                      {"cu_seqlens_q", "offsets of queries", {}, {}},
                      {"cu_seqlens_k", "offsets of keys", {}, {}},
                      {"block_table", "tables of pages", {}, {}},
                      {"blocks", "", {}, {}},
                      {"captures", "", {}, {}},
                      {"sinks", "sinks", {}, {}},
                      {"q_scale", "scales of Q", {}, {}},
                      {"k_scale", "scales of K", {}, {}},
                      {"v_scale", "scales of V", {}, {}},
                      {"earlier_o", "O of earlier keys", {}, {}},
                      {"earlier_lse", "LSE of earlier keys", {}, {}}};
  auto parseClauses = [&]() -> OptionalParseResult {
    for (Clause &clause : clauses)
      if (succeeded(parser.parseOptionalKeyword(clause.keyword)))
        return clause.keyword == "blocks" &&
                       parseBlockSize(parser, "blockSize", result)
                   ? failure()
                   : parseOperandClause(parser, clause.operands, clause.types);
    return std::nullopt;
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(tensors, /*requiredOperandCount=*/3))
    return failure();
  Region *score = result.addRegion(), *keep = result.addRegion();
  // Clauses come in a fixed order when printed, in any order when parsed.
  while (true) {
    if (succeeded(parser.parseOptionalKeyword("mask"))) {
      if (parseParenthesised(parser, [&]() {
            Attribute mask;
            return parser.parseAttribute(mask, "mask", result.attributes);
          }))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("scale"))) {
      if (parseScale(parser, result))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("scale_block"))) {
      if (parseParenthesised(parser, [&]() {
            IntegerAttr block;
            return parser.parseAttribute(block,
                                         parser.getBuilder().getI64Type(),
                                         "scaleBlock", result.attributes);
          }))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("layout"))) {
      if (parseLayout(parser, result))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("values"))) {
      if (parseValueOrder(parser, result))
        return failure();
    } else if (OptionalParseResult parsed = parseClauses();
               parsed.has_value()) {
      if (*parsed)
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("score"))) {
      if (parseRegionClause(parser, *score))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("keep"))) {
      if (parseRegionClause(parser, *keep))
        return failure();
    } else {
      break;
    }
  }
  FunctionType type;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.parseType(type))
    return failure();
  if (type.getNumInputs() != 3)
    return parser.emitError(
               loc, "expected the types of query, key and value, but got ")
           << type.getNumInputs() << " types";
  if (type.getNumResults() < 1 || type.getNumResults() > 2)
    return parser.emitError(loc,
                            "expected the types of the output and perhaps the "
                            "LSE, but got ")
           << type.getNumResults() << " types";
  if (!result.attributes.get("scale"))
    return parser.emitError(loc, "expected a scale, as in `scale(0.125)`");
  if (failed(verifyInherentAttrs(result.name, result.attributes,
                                 [&]() { return parser.emitError(loc); })))
    return failure();
  result.addTypes(type.getResults());
  SmallVector<int32_t> segments{1, 1, 1};
  if (parser.resolveOperands(tensors, type.getInputs(), loc, result.operands))
    return failure();
  for (const Clause &clause : clauses) {
    if (clause.operands.size() > 1 && !clause.what.empty())
      return parser.emitError(loc, "expected one tensor of ")
             << clause.what << ", but got " << clause.operands.size();
    segments.push_back(static_cast<int32_t>(clause.operands.size()));
    if (parser.resolveOperands(clause.operands, clause.types, loc,
                               result.operands))
      return failure();
  }
  result.addAttribute(getOperandSegmentSizeAttr(),
                      parser.getBuilder().getDenseI32ArrayAttr(segments));
  return success();
}

void AttentionOp::print(OpAsmPrinter &p) {
  p << " " << getQuery() << ", " << getKey() << ", " << getValue();
  if (getMaskAttr())
    p << " mask(" << getMaskAttr() << ")";
  p << " scale(";
  p.printAttributeWithoutType(getScaleAttr());
  p << ")";
  if (getLayout() != TensorLayout::BHSD || getKvLayout()) {
    p << " layout(" << stringifyTensorLayout(getLayout());
    if (getKvLayout())
      p << ", kv = " << stringifyTensorLayout(*getKvLayout());
    p << ")";
  }
  if (getValueOrder() != ValueOrder::Rows)
    p << " values(" << stringifyValueOrder(getValueOrder()) << ")";
  if (getLengths())
    p << " lengths(" << getLengths() << " : " << getLengths().getType() << ")";
  if (getQueryOffsets())
    p << " cu_seqlens_q(" << getQueryOffsets() << " : "
      << getQueryOffsets().getType() << ")";
  if (getKeyOffsets())
    p << " cu_seqlens_k(" << getKeyOffsets() << " : "
      << getKeyOffsets().getType() << ")";
  if (getBlockTable())
    p << " block_table(" << getBlockTable() << " : "
      << getBlockTable().getType() << ")";
  printBlocks(p, *this);
  if (!getCaptures().empty())
    p << " captures(" << getCaptures() << " : " << getCaptures().getTypes()
      << ")";
  if (getSinks())
    p << " sinks(" << getSinks() << " : " << getSinks().getType() << ")";
  for (auto [name, scale] :
       {std::pair<StringRef, Value>{"q_scale", getQueryScale()},
        {"k_scale", getKeyScale()},
        {"v_scale", getValueScale()},
        {"earlier_o", getEarlierOutput()},
        {"earlier_lse", getEarlierLse()}})
    if (scale)
      p << " " << name << "(" << scale << " : " << scale.getType() << ")";
  if (std::optional<uint64_t> block = getScaleBlock())
    p << " scale_block(" << *block << ")";
  for (auto [name, region] :
       {std::pair<StringRef, Region *>{"score", &getScore()},
        {"keep", &getKeep()}}) {
    if (region->empty())
      continue;
    p << " " << name << "(";
    llvm::interleaveComma(region->getArguments(), p, [&](BlockArgument arg) {
      p.printRegionArgument(arg);
    });
    p << ") ";
    p.printRegion(*region, /*printEntryBlockArgs=*/false);
  }
  SmallVector<StringRef> printed{
      "mask",       "scale",     "layout",     "kvLayout",
      "valueOrder", "blockSize", "scaleBlock", getOperandSegmentSizeAttr()};
  if (getSorted().empty())
    printed.push_back("sorted");
  p.printOptionalAttrDict((*this)->getAttrs(), printed);
  p << " : (" << getQuery().getType() << ", " << getKey().getType() << ", "
    << getValue().getType() << ") -> ";
  if (getLse())
    p << "(" << getOutput().getType() << ", " << getLse().getType() << ")";
  else
    p << getOutput().getType();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {

/// Checks of one attention op; every message says what was wanted and got.
struct AttentionVerifier {
  AttentionOp op;

  InFlightDiagnostic error() { return op.emitOpError(); }

  LogicalResult ranks() {
    for (auto [name, value] :
         {std::pair<StringRef, Value>{"query", op.getQuery()},
          {"key", op.getKey()},
          {"value", op.getValue()},
          {"output", op.getOutput()}}) {
      auto type = cast<RankedTensorType>(value.getType());
      if (type.getRank() != 4)
        return error() << name << " expects rank 4, but got rank "
                       << type.getRank() << " (" << type << ")";
      Type wanted = op.getQuery().getType().getElementType();
      bool ofKeys = value == op.getKey() || value == op.getValue();
      // Caches may be narrower than queries.
      Type key = op.getKey().getType().getElementType();
      bool isCache =
          ofKeys && isFloat8(key) && (wanted.isF16() || wanted.isBF16());
      if (isCache)
        wanted = key;
      // What is merged with other parts may stay as wide as it is accumulated.
      bool mayBeWide = value == op.getOutput();
      // There are no results of FP8.
      bool isWider = mayBeWide && isFloat8(wanted);
      if (!isWider && type.getElementType() != wanted &&
          !(mayBeWide && type.getElementType().isF32()))
        return error() << name << " expects the element type of "
                       << (isCache ? "key, " : "query, ") << wanted
                       << (mayBeWide ? ", or f32" : "") << ", but got "
                       << type.getElementType();
      bool byColumns = value == op.getValue() && op.hasInterleavedValues();
      unsigned heads = byColumns ? 1
                       : ofKeys  ? op.getKeyHeadDim()
                                 : op.getHeadDim(),
               columns = byColumns ? 2 : 3;
      for (unsigned dim : {heads, columns})
        if (type.isDynamicDim(dim))
          return error() << name << " expects a static "
                         << (dim == columns ? "head dimension"
                                            : "number of heads")
                         << " (dimension " << dim << "), but got " << type;
    }
    return success();
  }

  LogicalResult heads() {
    int64_t hq = op.getNumQueryHeads(), hkv = op.getNumKvHeads();
    int64_t hv = op.getNumValueHeads();
    if (hkv < 1 || hq < 1 || hq % hkv != 0)
      return error() << "number of query heads expects to be a multiple of the "
                        "number of KV heads, but got "
                     << hq << " and " << hkv;
    if (hv != hkv)
      return error() << "value expects as many heads as key, " << hkv
                     << ", but got " << hv;
    return success();
  }

  LogicalResult headDims() {
    int64_t most = mostColumns(op);
    for (auto [name, dim] :
         {std::pair<StringRef, int64_t>{"query", op.getQkDim()},
          {"value", op.getValueDim()}})
      if (dim < 8 || dim > most || dim % 8 != 0)
        return error() << "head dimension of " << name
                       << " expects to be a multiple of 8 from 8 to " << most
                       << ", but got " << dim;
    if (op.getKey().getType().getDimSize(3) != op.getQkDim())
      return error() << "key expects the head dimension of query, "
                     << op.getQkDim() << ", but got "
                     << op.getKey().getType().getDimSize(3);
    return success();
  }

  LogicalResult agree(StringRef what, StringRef of, RankedTensorType type,
                      unsigned dim, int64_t wanted) {
    if (succeeded(verifyCompatibleDims({type.getDimSize(dim), wanted})))
      return success();
    return error() << of << " expects " << what << " " << wanted << ", but got "
                   << type.getDimSize(dim) << " (" << type << ")";
  }

  LogicalResult sizes() {
    RankedTensorType q = op.getQuery().getType(), k = op.getKey().getType(),
                     v = op.getValue().getType(), o = op.getOutput().getType();
    unsigned s = op.getSeqDim(), h = op.getHeadDim(), ks = op.getKeySeqDim();
    // First dimensions of K and V: sequences, one, or pages.
    int64_t wanted =
        op.getBlockTable() ? k.getDimSize(0) : batchOf(op.getKeyOffsets());
    StringRef what = op.getBlockTable() ? "pages" : "batch";
    if (failed(agree(what, "key", k, 0, wanted)) ||
        failed(agree(what, "value", v, 0, wanted)) ||
        failed(agree("batch", "output", o, 0, q.getDimSize(0))) ||
        failed(valueLength(v, ks, k.getDimSize(ks))) ||
        failed(agree("sequence length", "output", o, s, q.getDimSize(s))) ||
        failed(agree("number of heads", "output", o, h, q.getDimSize(h))) ||
        failed(agree("head dimension", "output", o, 3, op.getValueDim())))
      return failure();
    return success();
  }

  /// V by columns has those of whole groups.
  LogicalResult valueLength(RankedTensorType v, unsigned s, int64_t keys) {
    if (!op.hasInterleavedValues())
      return agree("sequence length", "value", v, s, keys);
    if (!ShapedType::isDynamic(keys))
      keys = llvm::alignTo(keys, kPage);
    return agree("a sequence length rounded up to", "value", v, 3, keys);
  }

  LogicalResult scales() {
    if (failed(verifyScaleBlock(op)))
      return failure();
    for (auto [name, scale] :
         {std::pair<StringRef, Value>{"q_scale", op.getQueryScale()},
          {"k_scale", op.getKeyScale()},
          {"v_scale", op.getValueScale()}}) {
      if (!scale)
        continue;
      auto type = cast<RankedTensorType>(scale.getType());
      bool ofBlocks = op.getScaleBlock() && scale != op.getQueryScale();
      if (type.getRank() != 2 && !(ofBlocks && type.getRank() == 3))
        return error() << name << " expects rank 2 (batch, KV head)"
                       << (ofBlocks ? " or 3 (and block of keys)" : "")
                       << ", but got " << type;
      if (type.getRank() == 3 && failed(agree("a number of blocks of", name,
                                              type, 2, blocksOfKeys(op))))
        return failure();
      if (type.getDimSize(0) != 1 &&
          failed(agree("batch 1 or", name, type, 0, sequences())))
        return failure();
      int64_t heads = type.getDimSize(1);
      if (heads != 1 && heads != op.getNumKvHeads())
        return error() << name << " expects 1 or " << op.getNumKvHeads()
                       << " KV heads, but got " << type;
    }
    return success();
  }

  /// Sequences, as far as types tell.
  int64_t sequences() {
    for (TypedValue<RankedTensorType> offsets :
         {op.getQueryOffsets(), op.getKeyOffsets()})
      if (offsets && !offsets.getType().isDynamicDim(0))
        return offsets.getType().getDimSize(0) - 1;
    if (!op.getQueryOffsets())
      return op.getQuery().getType().getDimSize(0);
    if (op.getBlockTable())
      return op.getBlockTable().getType().getDimSize(0);
    return op.getKeyOffsets() ? ShapedType::kDynamic
                              : op.getKey().getType().getDimSize(0);
  }

  /// First dimension of tensors whose sequences these offsets pack, if any do.
  int64_t batchOf(Value offsets) { return offsets ? 1 : sequences(); }

  /// Their element type is checked before.
  LogicalResult offsets(StringRef name, TypedValue<RankedTensorType> offsets,
                        ArrayRef<std::pair<StringRef, Value>> packed) {
    if (!offsets)
      return success();
    RankedTensorType type = offsets.getType();
    if (type.getRank() != 1)
      return error() << name << " expects rank 1 (batch + 1), but got " << type;
    if (!type.isDynamicDim(0) && type.getDimSize(0) < 1)
      return error() << name << " expects a number more than there are "
                     << "sequences, but got " << type;
    for (auto [of, tensor] : packed)
      if (tensor && cast<RankedTensorType>(tensor.getType()).getDimSize(0) != 1)
        return error() << of << " expects 1 as its first dimension, since "
                       << name << " packs its sequences, but got "
                       << tensor.getType();
    return success();
  }

  LogicalResult raggedBatch() {
    TypedValue<RankedTensorType> q = op.getQueryOffsets(),
                                 k = op.getKeyOffsets();
    if (failed(offsets("cu_seqlens_q", q,
                       {{"query", op.getQuery()},
                        {"output", op.getOutput()},
                        {"lse", op.getLse()}})) ||
        failed(offsets("cu_seqlens_k", k,
                       {{"key", op.getKey()}, {"value", op.getValue()}})))
      return failure();
    if (q && k)
      return agree("as many numbers as cu_seqlens_q,", "cu_seqlens_k",
                   k.getType(), 0, q.getType().getDimSize(0));
    if (!k)
      return success();
    return agree("a number more than there are sequences,", "cu_seqlens_k",
                 k.getType(), 0,
                 plusOne(op.getQuery().getType().getDimSize(0)));
  }

  /// Its element type is checked before.
  LogicalResult pages() {
    TypedValue<RankedTensorType> table = op.getBlockTable();
    if (!table)
      return success();
    if (table.getType().getRank() != 2)
      return error() << "block_table expects rank 2 (batch, pages of a "
                        "sequence), but got "
                     << table.getType();
    if (!op.getLengths())
      return error() << "block_table expects lengths, which say how many keys "
                        "of its pages there are, but got none";
    if (op.getKeyOffsets())
      return error() << "block_table expects keys in pages, but got "
                        "cu_seqlens_k, by which they are packed";
    int64_t size = op.getPageSize();
    if (ShapedType::isDynamic(size) || size < kPage || size % kGranule != 0)
      return error() << "block_table expects pages of a static multiple of "
                     << kGranule << " keys from " << kPage
                     << " on, but got key " << op.getKey().getType();
    return agree("batch", "block_table", table.getType(), 0, sequences());
  }

  /// Keys of the smallest page: what matrix units take at once. Rows of tiles
  /// in shared memory are permuted within as many as `kGranule`.
  static constexpr int64_t kPage = 16, kGranule = 8;

  static int64_t plusOne(int64_t size) {
    return ShapedType::isDynamic(size) ? size : size + 1;
  }

  /// Their element type is checked before.
  LogicalResult lengths() {
    if (!op.getLengths())
      return success();
    auto type = cast<RankedTensorType>(op.getLengths().getType());
    if (type.getRank() != 1)
      return error() << "lengths expect rank 1 (batch), but got " << type;
    return agree("batch", "lengths", type, 0, sequences());
  }

  /// Their element type is checked before.
  LogicalResult sinks() {
    if (!op.getSinks())
      return success();
    auto type = cast<RankedTensorType>(op.getSinks().getType());
    if (type.getRank() < 1 || type.getRank() > 2)
      return error()
             << "sinks expect rank 1 (query head) or 2 (head, rows of a "
                "head), but got "
             << type;
    if (!type.hasStaticShape() || type.getNumElements() == 0)
      return error() << "sinks expect static sizes of 1 or more, but got "
                     << type;
    return agree("number of heads", "sinks", type, 0, op.getNumQueryHeads());
  }

  LogicalResult lse() {
    if (!op.getLse())
      return success();
    auto type = cast<RankedTensorType>(op.getLse().getType());
    if (type.getRank() != 3)
      return error() << "lse expects rank 3 (batch, head, query), but got "
                     << type;
    RankedTensorType q = op.getQuery().getType();
    if (type.isDynamicDim(1))
      return error() << "lse expects a static number of heads, but got "
                     << type;
    if (failed(agree("batch", "lse", type, 0, q.getDimSize(0))) ||
        failed(
            agree("number of heads", "lse", type, 1, op.getNumQueryHeads())) ||
        failed(agree("sequence length", "lse", type, 2,
                     q.getDimSize(op.getSeqDim()))))
      return failure();
    return success();
  }
};

} // namespace

LogicalResult AttentionOp::verify() {
  AttentionVerifier v{*this};
  if (failed(v.ranks()) || failed(v.heads()) || failed(v.headDims()) ||
      failed(v.raggedBatch()) || failed(v.pages()) || failed(v.sizes()) ||
      failed(v.lengths()) || failed(v.sinks()) ||
      failed(verifyValueOrder(*this)) || failed(v.scales()) ||
      failed(v.lse()) || failed(verifyEarlier(*this)) ||
      failed(verifyBlocks(*this, v.sequences())))
    return failure();
  if (!getScale().isFinite())
    return emitOpError("scale expects a finite number, but got ")
           << getScaleAttr();
  if (!hasScoreMod() && !hasMaskRegion() && !getCaptures().empty())
    return emitOpError("captures expect a score modification or a mask region "
                       "that takes them");
  return success();
}
