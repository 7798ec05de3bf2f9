/// One JSON value as a flat list: an entry for each scalar, name, object and array, in document order. A container's
/// entry gives the index of the container's end, so that a value is skipped in one step. Strings stay in the scanner's
/// buffer; only those with escapes are copied. Valid until the scanner is fed. One tape is reused for many values.
package struct JSONTape: ~Copyable {
  package enum Kind: UInt8, Sendable {
    case null, no, yes, integer, real
    /// A number that is neither a 64-bit integer nor in a double's range. Only its digits are available.
    case beyond
    case string, name, object, array
  }

  package struct Entry {
    package var kind: Kind
    /// True for a string outside the scanner's buffer, such as a copy with resolved escapes.
    package var isCopied = false
    /// A name's number in its object's shape, or the place of an object with a shape.
    package var slot: UInt16 = 0
    /// An object's shape; 0 for none.
    package var shape: UInt32 = 0
    package var offset: Int
    /// By kind: an integer's or double's bits, a string's offset or its copy's address, or the index after a container.
    package var payload: UInt64 = 0
    /// The bytes of a string or number, or the number of elements or members.
    package var count = 0
  }

  /// Not an `Array`, because each access would check that its storage is not shared.
  package private(set) var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int
  private(set) var count = 0
  private let copies = LentBytes()
  var shapes: JSONShapes

  private static let initialEntries = 64

  /// Set `learnsShapes` to false for a reader's second tape, because the reader uses only the first tape's shapes.
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

  /// Appends a string with its escapes resolved. On an error, returns its index within `range` and the reason.
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

  /// Lays out an object with these distinct names, which must stay in memory. A reader of another format, such as CSV,
  /// then fills the value after each name, for every record.
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

  /// Starts the next record of the layout and frees the previous one's copied strings.
  package func beginRecord(at offset: Int) {
    copies.clear()
    entries[0].offset = offset
  }

  /// Stores a record's text that is not in the scanner's buffer; `write` returns the text's number of bytes.
  package func copy(
    _ limit: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int
  ) -> UnsafeBufferPointer<UInt8> {
    copies.fill(limit) { write($0) } ?? UnsafeBufferPointer(start: nil, count: 0)
  }

  // MARK: Reading

  subscript(_ index: Int) -> Entry {
    precondition(index >= 0 && index < count, "there is no such entry on the tape")
    return entries[index]
  }

  package func kind(_ index: Int) -> Kind { self[index].kind }

  package func offset(_ index: Int) -> Int { self[index].offset }

  package func integer(_ index: Int) -> Int64 { Int64(bitPattern: self[index].payload) }

  package func real(_ index: Int) -> Double { Double(bitPattern: self[index].payload) }

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

  /// True for a string with escapes, which is stored on the tape until the tape is refilled.
  package func isCopied(_ index: Int) -> Bool { self[index].isCopied }
}
