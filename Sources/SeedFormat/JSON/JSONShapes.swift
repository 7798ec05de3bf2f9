/// Remembers the member names (the shape) of objects by their place in a document, such as "elements of
/// `stops`". All objects at a place usually have the same members in the same order. Names in the remembered
/// order, even with gaps, are only compared, not scanned or checked for duplicates, and are found by number.
struct JSONShapes: ~Copyable {
  /// A name with its quotation marks and colon, as in the document.
  struct Member {
    let offset: Int32
    let length: Int32
    /// The place of the objects in this member's value.
    var place: Int32
  }

  private struct Shape {
    /// Not 0; changes whenever the shape is replaced.
    var id: UInt32 = 0
    var count = 0
    var members: UnsafeMutablePointer<Member>?
    var names: UnsafeMutablePointer<UInt8>?
    var elements: Int32 = JSONShapes.nowhere
    var misses = 0

    func deallocate() {
      members?.deallocate()
      names?.deallocate()
    }
  }

  struct Guess {
    fileprivate let members: UnsafeMutablePointer<Member>?
    fileprivate let names: UnsafeMutablePointer<UInt8>?
    fileprivate let count: Int
    fileprivate var next = 0
    fileprivate(set) var isRight: Bool
  }

  /// The places of a top-level value (`root`) and of objects whose names are not remembered (`nowhere`).
  static let root = 0
  static let nowhere: Int32 = -1

  private var shapes: UnsafeMutablePointer<Shape>?
  private var count = 0
  private var latest: UInt32 = 0
  /// Replaced shapes that objects on the tape may still use.
  private var retired: [Shape] = []
  private let isLearning: Bool

  /// Maximum numbers of places, of names per object and of bytes in its names. Beyond them, names are always scanned.
  private static let mostPlaces = 256
  private static let mostMembers = 1024
  private static let mostNameBytes = 16 * 1024
  /// Maximum shapes that one value may retire; afterwards nothing is learnt until the next value.
  private static let mostRetired = 64

  /// Set `isLearning` to false for a second tape of the same reader. Name numbers are valid only for one
  /// tape, and the reader would mistake the second tape's numbers for the first's.
  init(isLearning: Bool) { self.isLearning = isLearning }

  deinit {
    for place in 0..<count { shapes?[place].deallocate() }
    for shape in retired { shape.deallocate() }
    shapes?.deallocate()
  }

  // MARK: Places

  mutating func start() { if count == 0 { _ = makePlace() } }

  private mutating func makePlace() -> Int32 {
    guard count < Self.mostPlaces else { return Self.nowhere }
    if shapes == nil { shapes = .allocate(capacity: Self.mostPlaces) }
    shapes.unsafelyUnwrapped.advanced(by: count).initialize(to: Shape())
    count += 1
    return Int32(count - 1)
  }

  mutating func place(of slot: Int, in place: Int) -> Int {
    guard place >= 0, let members = shapes?[place].members else { return Int(Self.nowhere) }
    if members[slot].place == Self.nowhere { members[slot].place = makePlace() }
    return Int(members[slot].place)
  }

  mutating func elements(of place: Int) -> Int {
    guard place >= 0, let shapes else { return Int(Self.nowhere) }
    if shapes[place].elements == Self.nowhere { shapes[place].elements = makePlace() }
    return Int(shapes[place].elements)
  }

  // MARK: Guessing

  @inline(__always)
  func guess(_ place: Int) -> Guess {
    guard place >= 0, let shape = shapes?[place], shape.id != 0 else {
      return Guess(members: nil, names: nil, count: 0, isRight: false)
    }
    return Guess(members: shape.members, names: shape.names, count: shape.count, isRight: true)
  }

  /// Records that a place's object matched, and returns the shape's ID.
  @inline(__always)
  func confirm(_ place: Int) -> UInt32 {
    guard let shapes else { return 0 }
    shapes[place].misses = 0
    return shapes[place].id
  }

  // MARK: Learning

  /// False if consecutive objects differ so often that remembering does not pay.
  mutating func isWorthLearning(_ place: Int, members: Int) -> Bool {
    guard isLearning, retired.count < Self.mostRetired, place >= 0, members <= Self.mostMembers, let shapes
    else { return false }
    shapes[place].misses += 1
    return shapes[place].misses & (shapes[place].misses - 1) == 0
  }

  /// Remembers distinct names without escapes; false if there are too many.
  @discardableResult
  mutating func learn(_ place: Int, _ texts: [UnsafeBufferPointer<UInt8>]) -> Bool {
    let bytes = texts.reduce(0) { $0 + $1.count + Self.frameBytes }
    guard let shapes, bytes <= Self.mostNameBytes, texts.count <= Self.mostMembers else { return false }
    let names = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes))
    let members = UnsafeMutablePointer<Member>.allocate(capacity: max(1, texts.count))
    var end = 0
    for (slot, text) in texts.enumerated() {
      let kept = slot < shapes[place].count ? shapes[place].members?[slot].place : nil
      let framed = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\""), UInt8(ascii: ":")]
      (members + slot).initialize(
        to: Member(offset: Int32(end), length: Int32(framed.count), place: kept ?? Self.nowhere))
      (names + end).initialize(from: framed, count: framed.count)
      end += framed.count
    }
    if shapes[place].id != 0 { retired.append(shapes[place]) }
    latest += 1
    (shapes[place].id, shapes[place].count) = (latest, texts.count)
    (shapes[place].members, shapes[place].names) = (members, names)
    return true
  }

  static let frameBytes = 3

  /// Frees replaced shapes, which no object uses any longer.
  mutating func clear() {
    guard !retired.isEmpty else { return }
    for shape in retired { shape.deallocate() }
    retired.removeAll()
  }

  // MARK: Reading

  /// The object's shape when it was read; a later object may have replaced it.
  private func shape(_ id: UInt32, _ place: Int) -> Shape? {
    guard let shape = shapes?[place], shape.id != id else { return shapes?[place] }
    return retired.last { $0.id == id }
  }

  func count(_ id: UInt32, _ place: Int) -> Int { shape(id, place)?.count ?? 0 }

  func name(_ slot: Int, _ id: UInt32, _ place: Int) -> UnsafeBufferPointer<UInt8> {
    guard let shape = shape(id, place), let members = shape.members, let names = shape.names else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    let member = members[slot]
    return UnsafeBufferPointer(
      start: names + Int(member.offset) + 1, count: Int(member.length) - Self.frameBytes)
  }
}

extension JSONShapes.Guess {
  /// Returns the number and length of the name at `bytes`; nil from the first unexpected name on.
  @inline(__always)
  mutating func match(_ bytes: UnsafePointer<UInt8>, available: Int) -> (slot: Int, length: Int)? {
    guard isRight, let members, let names else { return nil }
    while next < count {
      let length = Int(members[next].length)
      next &+= 1
      if length <= available, Self.same(bytes, names + Int(members[next &- 1].offset), length) {
        return (next &- 1, length)
      }
    }
    isRight = false
    return nil
  }

  @inline(__always)
  private static func same(
    _ left: UnsafePointer<UInt8>, _ right: UnsafeMutablePointer<UInt8>, _ count: Int
  ) -> Bool {
    var index = 0
    while index &+ 8 <= count {
      let word = UnsafeRawPointer(left + index).loadUnaligned(as: UInt64.self)
      guard word == UnsafeRawPointer(right + index).loadUnaligned(as: UInt64.self) else { return false }
      index &+= 8
    }
    while index < count {
      guard left[index] == right[index] else { return false }
      index &+= 1
    }
    return true
  }
}
