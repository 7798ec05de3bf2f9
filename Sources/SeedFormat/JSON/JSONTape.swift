/// One JSON value laid out flat: an entry per scalar, name, object and array, in the document's order.
///
/// A container's entry knows where it ends, so that a value that nobody wants is passed over in one step.
/// Texts stay where they are in the window; only those with escapes are copied. A tape is good until the
/// scanner that filled it is given more bytes; it is meant to be filled again and again.
package struct JSONTape: ~Copyable {
  /// What an entry stands for.
  package enum Kind: UInt8, Sendable {
    case null, no, yes, integer, real
    /// A number that is neither a 64-bit integer nor within a double's range; its text is kept.
    case beyond
    case string, name, object, array
  }

  struct Entry {
    let kind: Kind
    /// Whether a text lies among the unescaped ones.
    var isCopied = false
    /// The value's offset in the document.
    let offset: Int
    /// An integer's or a double's bits, a text's offset, or the index behind a container.
    var payload: UInt64 = 0
    /// A text's bytes, or a container's elements or members.
    var count = 0
  }

  private(set) var entries: [Entry] = []
  private var copies = ByteBlock()

  /// An empty tape.
  package init() {}

  // MARK: Filling

  mutating func clear() {
    entries.removeAll(keepingCapacity: true)
    copies.clear()
  }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  mutating func close(_ index: Int, count: Int) {
    entries[index].payload = UInt64(entries.count)
    entries[index].count = count
  }

  /// Appends a text with its escapes resolved; on an error returns its index within `range` and the reason.
  mutating func append(
    unescaping range: Range<Int>, of bytes: UnsafePointer<UInt8>, as kind: Kind, at offset: Int
  ) -> (offset: Int, reason: String)? {
    var wrong: (offset: Int, reason: String)?
    copies.reserve(range.count)
    let copy = copies.append(range.count) { destination in
      JSONText.unescape(bytes, range, into: destination, &wrong)
    }
    guard let copy else { return wrong }
    append(
      Entry(kind: kind, isCopied: true, offset: offset, payload: UInt64(copy.lowerBound), count: copy.count))
    return nil
  }

  // MARK: Reading

  /// What the entry at `index` stands for.
  package func kind(_ index: Int) -> Kind { entries[index].kind }

  /// Where the value begins, in bytes from the document's start.
  package func offset(_ index: Int) -> Int { entries[index].offset }

  /// An integer's value.
  package func integer(_ index: Int) -> Int64 { Int64(bitPattern: entries[index].payload) }

  /// A real's value.
  package func real(_ index: Int) -> Double { Double(bitPattern: entries[index].payload) }

  /// The elements of an array or the members of an object.
  package func count(_ index: Int) -> Int { entries[index].count }

  /// The index of what follows a value.
  package func end(of index: Int) -> Int {
    switch entries[index].kind {
    case .object, .array: Int(entries[index].payload)
    default: index + 1
    }
  }

  /// Where a text lies: among the copies, or in the window.
  func place(_ index: Int) -> (isCopied: Bool, range: Range<Int>) {
    let entry = entries[index]
    let start = Int(entry.payload)
    return (entry.isCopied, start..<start + entry.count)
  }

  func copy(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { copies[range] }
}
