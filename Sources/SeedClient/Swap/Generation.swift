/// A generation in hand: its folder, and a lease on it that lasts as long as this and its reader.
final class Generation: Sendable {
  let folder: GenerationFolder
  let record: GenerationRecord
  /// The store's own reader of the file.
  let reader: GenerationReader
  let lease: Lease

  init(_ folder: GenerationFolder, _ record: GenerationRecord, _ lease: Lease) {
    self.folder = folder
    self.record = record
    self.lease = lease
    reader = GenerationReader(folder, lease)
  }

  /// The folder's name.
  var name: String { folder.name }
}

/// The generations that a store or its app has in hand. Part of an actor, which guards it.
struct GenerationsInHand {
  private struct Item {
    weak let generation: Generation?
    /// Whether it still lies in the store's directory.
    var isInPlace = true
  }

  private var items: [Item] = []

  /// Those that still live.
  var all: [Generation] { items.compactMap(\.generation) }

  /// Those that can be read again where they count; the others are the app's alone.
  var known: [Generation] { items.filter(\.isInPlace).compactMap(\.generation) }

  /// Notes that the directory is gone in which they all lay.
  mutating func abandon() {
    for index in items.indices { items[index].isInPlace = false }
  }

  mutating func add(_ generation: Generation) {
    items.removeAll { $0.generation == nil || $0.generation === generation }
    items.append(Item(generation: generation))
  }
}
