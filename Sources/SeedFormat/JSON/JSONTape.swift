/// One JSON value laid out flat: an entry per scalar, name, object and array, in the document's order. A container's
/// entry knows where it ends, so that an unwanted value is skipped in one step. Texts stay where they are in the
/// window; only those with escapes are copied. A tape is good until the scanner that filled it is given more bytes; it
/// is meant to be filled again and again.
package struct JSONTape: ~Copyable {
  package enum Kind: UInt8, Sendable {
    case null, no, yes, integer, real
    /// A number that is neither a 64-bit integer nor within a double's range; its text is kept.
    case beyond
    case string, name, object, array
  }

  /// One scalar, name, object or array.
  package struct Entry {
    package var kind: Kind
    /// A text that lies among the unescaped ones.
    package var isCopied = false
    /// A name's number among those of its object's shape, or the place of an object that has a shape.
    package var slot: UInt16 = 0
    /// The shape that an object has; 0 for none.
    package var shape: UInt32 = 0
    /// The value's offset in the document.
    package var offset: Int
    /// An integer's or a double's bits, a text's offset, the address of a copied text, or the index behind a container.
    package var payload: UInt64 = 0
    /// A text's or a number's bytes, or a container's elements or members.
    package var count = 0
  }

  /// The entries. Not an array: a row appends a dozen, and each would ask whether the array is shared.
  package private(set) var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int
  private(set) var count = 0
  private let copies = LentBytes()
  var shapes: JSONShapes

  private static let initialEntries = 64

  /// `learnsShapes` is false for a tape that is read beside another by the same reader, to whom the numbers of shapes
  /// are the other's.
  package init(learnsShapes: Bool = true) {
    shapes = JSONShapes(isLearning: learnsShapes)
    capacity = Self.initialEntries
    entries = .allocate(capacity: capacity)
  }

  deinit { entries.deallocate() }

  // MARK: Filling

  mutating func clear() {
    count = 0
    copies.clear()
    shapes.clear()
  }

  @inline(__always)
  mutating func append(_ entry: Entry) {
    if count == capacity { grow() }
    (entries + count).initialize(to: entry)
    count &+= 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * capacity)
    larger.update(from: entries, count: count)
    entries.deallocate()
    entries = larger
    capacity *= 2
  }

  mutating func close(_ index: Int, elements: Int) {
    entries[index].payload = UInt64(count)
    entries[index].count = elements
  }

  @inline(__always)
  mutating func confirm(_ index: Int, _ place: Int) {
    entries[index].slot = UInt16(truncatingIfNeeded: place)
    entries[index].shape = shapes.confirm(place)
  }

  /// Appends a text with its escapes resolved; on an error returns its index within `range` and the reason.
  mutating func append(
    unescaping range: Range<Int>, of bytes: UnsafePointer<UInt8>, as kind: Kind, at offset: Int
  ) -> (offset: Int, reason: StaticString)? {
    var wrong: (offset: Int, reason: StaticString)?
    let copy = copies.fill(range.count) { JSONText.unescape(bytes, range, into: $0, &wrong) }
    guard let copy else { return wrong }
    let address = UInt64(UInt(bitPattern: copy.baseAddress))
    append(Entry(kind: kind, isCopied: true, offset: offset, payload: address, count: copy.count))
    return nil
  }

  // MARK: Records

  /// Lays out an object with members of these names, which are distinct and stay where they lie. Whoever reads
  /// records of another format fills the values, of which each stands behind its name, again and again.
  package mutating func layOut(_ names: [UnsafeBufferPointer<UInt8>]) {
    clear()
    shapes.start()
    append(Entry(kind: .object, offset: 0))
    for (slot, name) in names.enumerated() {
      let address = UInt64(UInt(bitPattern: name.baseAddress))
      append(
        Entry(
          kind: .name, isCopied: true, slot: UInt16(truncatingIfNeeded: slot), offset: 0, payload: address,
          count: name.count))
      append(Entry(kind: .null, offset: 0))
    }
    close(0, elements: names.count)
    if shapes.learn(JSONShapes.root, names) { confirm(0, JSONShapes.root) }
  }

  /// Begins the next record of the layout; texts that were copied for the one before go.
  package func beginRecord(at offset: Int) {
    copies.clear()
    entries[0].offset = offset
  }

  /// Room for a record's text that does not lie in the window as it is; `write` returns how many bytes it has.
  package func copy(
    _ limit: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int
  ) -> UnsafeBufferPointer<UInt8> {
    copies.fill(limit) { write($0) } ?? UnsafeBufferPointer(start: nil, count: 0)
  }

  // MARK: Reading

  private subscript(_ index: Int) -> Entry {
    precondition(index >= 0 && index < count, "there is no such entry on the tape")
    return entries[index]
  }

  package func kind(_ index: Int) -> Kind { self[index].kind }

  /// Where the value begins, in bytes from the document's start.
  package func offset(_ index: Int) -> Int { self[index].offset }

  package func integer(_ index: Int) -> Int64 { Int64(bitPattern: self[index].payload) }

  package func real(_ index: Int) -> Double { Double(bitPattern: self[index].payload) }

  /// The bytes of a text or number, the elements of an array, or the members of an object.
  package func count(_ index: Int) -> Int { self[index].count }

  package func shapeCount(_ index: Int) -> Int { shapes.count(self[index].shape, Int(self[index].slot)) }

  package func shapeName(_ slot: Int, _ index: Int) -> UnsafeBufferPointer<UInt8> {
    shapes.name(slot, self[index].shape, Int(self[index].slot))
  }

  package func end(of index: Int) -> Int {
    switch self[index].kind {
    case .object, .array: Int(self[index].payload)
    default: index + 1
    }
  }

  /// True for a text with escapes, which lies on the tape itself until that is filled again.
  package func isCopied(_ index: Int) -> Bool { self[index].isCopied }

  /// The bytes of a text, from the tape's copies or from the window.
  func text(_ index: Int, _ window: borrowing JSONWindow) -> UnsafeBufferPointer<UInt8> {
    let entry = self[index]
    guard entry.isCopied else { return window.bytes(Int(entry.payload)..<Int(entry.payload) + entry.count) }
    return UnsafeBufferPointer(start: UnsafePointer(bitPattern: UInt(entry.payload)), count: entry.count)
  }
}
