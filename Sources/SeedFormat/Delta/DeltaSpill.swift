/// Where a delta's changes wait when they are too many for memory.
package protocol DeltaSpill: AnyObject {
  /// Keeps bytes and says where.
  func append(_ bytes: [UInt8]) throws -> Range<Int>
  /// Hands on what was kept, in pieces.
  func read(_ range: Range<Int>, _ take: ([UInt8]) throws -> Void) throws
}

/// Bytes of which only the last ones are in memory.
struct SpilledBytes {
  private var waiting: [UInt8] = []
  private var kept: [Range<Int>] = []

  /// A piece of a document.
  enum Part {
    case bytes([UInt8])
    case kept(Range<Int>)
  }

  var isEmpty: Bool { waiting.isEmpty && kept.isEmpty }

  var parts: [Part] { kept.map(Part.kept) + [.bytes(waiting)] }

  /// Adds bytes; beyond `limit` of them they go to the spill.
  mutating func append(
    limit: Int, _ spill: (any DeltaSpill)?, _ body: (inout [UInt8]) -> Void
  ) throws {
    body(&waiting)
    try relieve(limit: limit, spill)
  }

  mutating func relieve(limit: Int, _ spill: (any DeltaSpill)?) throws {
    guard waiting.count > limit, let spill else { return }
    kept.append(try spill.append(waiting))
    waiting.removeAll(keepingCapacity: true)
  }
}
