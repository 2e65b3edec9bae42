//===- DomainSymmetry.h - Domains that do the same --------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_SIMULATION_DOMAINSYMMETRY_H
#define ATTN_MLIR_LIB_SIMULATION_DOMAINSYMMETRY_H

#include "Dispatch.h"
#include <optional>

namespace attn {

/// Blocks of tiles of one domain, as numbered in the trace, to those of another
/// that take their place; kNoBlock for those that are not accessed.
using BlockMap = std::vector<uint32_t>;
constexpr uint32_t kNoBlock = ~0u;

/// A number that is the same for domains with a symmetry, and likely for no
/// others.
uint64_t signatureOf(const AccessTrace &trace, const CacheConfig &config,
                     int64_t domain);

/// The map under which the accesses of domain `from` are those of domain `to`,
/// CTA by CTA, if there is one: then what happens in one happens in the other.
/// Compares loops, not accesses.
std::optional<BlockMap> findSymmetry(const AccessTrace &trace,
                                     const CacheConfig &config, int64_t from,
                                     int64_t to);

/// The tile that takes the place of `tile`, of view `view`, under `map`.
inline uint32_t mapTile(const AccessTrace::View &view, const BlockMap &map,
                        uint32_t tile) {
  return view.firstTile +
         (map[view.blockOf(tile)] - view.firstBlock) * view.blockTiles +
         view.positionOf(tile);
}

} // namespace attn

#endif // ATTN_MLIR_LIB_SIMULATION_DOMAINSYMMETRY_H
