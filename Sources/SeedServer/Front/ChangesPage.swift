import SeedFormat
import SeedTrust

/// What an answer of `changes` depends on. The chain may be another one at the same head; it leads to the
/// same rows.
struct ChangesKey: Hashable {
  let series: Series
  let epoch: Epoch
  let since: Version
  let head: Version
}

/// One answer of `changes`: deltas from `since` towards the head, as stored.
struct ChangesPage: Sendable {
  let document: ServedDocument
  /// The version that its client has then.
  let to: Version
  /// Whether that is not the head yet.
  let hasMore: Bool

  /// Takes as many deltas of the chain as fit into `limit` raw bytes, and at least one.
  init(
    _ key: ChangesKey, _ chain: [PublishedObject], upTo limit: Int,
    read: (PublishedObject) throws -> [UInt8]
  ) rethrows {
    let deltas = Self.prefix(of: chain, upTo: limit)
    to = deltas.last?.version ?? key.since
    hasMore = deltas.count < chain.count
    var bytes = Self.opening(key, to: to, hasMore: hasMore)
    bytes.reserveCapacity(bytes.count + deltas.reduce(0) { $0 + $1.rawLength } + 2)
    for (index, delta) in deltas.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      let line = try read(delta)
      bytes += line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...]
    }
    bytes += Array("]}\n".utf8)
    document = ServedDocument(bytes)
  }

  private static func prefix(of chain: [PublishedObject], upTo limit: Int) -> ArraySlice<PublishedObject> {
    var total = 0
    for (index, delta) in chain.enumerated() {
      total += delta.rawLength
      if total > limit, index > 0 { return chain[..<index] }
    }
    return chain[...]
  }

  /// The document up to the first delta.
  private static func opening(_ key: ChangesKey, to: Version, hasMore: Bool) -> [UInt8] {
    let head: JSONValue = [
      "dataset": .string(key.series.dataset.text), "series": .number(key.series.major),
      "from": .number(key.since.number), "to": .number(to.number), "head": .number(key.head.number),
      "more": .bool(hasMore),
    ]
    return head.bytes.dropLast() + Array(#","deltas":["#.utf8)
  }
}
