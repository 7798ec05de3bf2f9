/// The keys of one archived object. Its reader lists the known keys, because an unknown one may mean anything.
struct ArchivedFields {
  let archive: KeyedArchive
  let object: ArchivedObject
  /// The entity, with its property if any.
  let place: String

  init(_ archive: KeyedArchive, _ object: ArchivedObject, _ place: String, known: Set<String>) throws {
    (self.archive, self.object, self.place) = (archive, object, place)
    if let key = object.keys.first(where: { !known.contains($0) }) {
      throw TemplateProblem(place, "the key \(key) of \(object.className) is not known")
    }
  }

  func value(_ key: String) throws -> KeyedArchive.Value? {
    let value = try archive.value(key, of: object)
    if case .null? = value { return nil }
    return value
  }

  func text(_ key: String) throws -> String? {
    switch try value(key) {
    case nil: return nil
    case .string(let text)?: return text
    default: throw unexpected(key)
    }
  }

  /// A name as accepted by Core Data's compiler. Only such names were observed; how others become columns is unknown.
  func name(_ key: String) throws -> String {
    guard let name = try text(key) else { throw missing(key) }
    return try Self.checked(name, place)
  }

  static func checked(_ name: String, _ place: String) throws -> String {
    let isKnown = name.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
    }
    guard isKnown, !name.isEmpty else {
      throw TemplateProblem(place, "the name \"\(name)\" has other characters than A-Z, a-z, 0-9 and _")
    }
    return name
  }

  func flag(_ key: String) throws -> Bool {
    switch try value(key) {
    case nil: return false
    case .bool(let flag)?: return flag
    default: throw unexpected(key)
    }
  }

  func integer(_ key: String) throws -> Int64 {
    switch try value(key) {
    case nil: throw missing(key)
    case .integer(let number)?: return number
    default: throw unexpected(key)
    }
  }

  func object(_ key: String) throws -> ArchivedObject? {
    switch try value(key) {
    case nil: return nil
    case .object(let object)?: return object
    default: throw unexpected(key)
    }
  }

  func elements(_ key: String) throws -> [KeyedArchive.Value] {
    try object(key).map { try archive.elements(of: $0) } ?? []
  }

  func objects(_ key: String) throws -> [ArchivedObject] {
    try elements(key).map { value in
      guard case .object(let object) = value else { throw unexpected(key) }
      return object
    }
  }

  func entries(_ key: String) throws -> [(name: String, object: ArchivedObject)] {
    guard let dictionary = try object(key) else { return [] }
    return try archive.entries(of: dictionary).map { name, value in
      guard case .object(let object) = value else { throw unexpected(key) }
      return (name, object)
    }
  }

  func missing(_ key: String) -> TemplateProblem {
    TemplateProblem(place, "the key \(key) of \(object.className) is missing", .makeNew)
  }

  func unexpected(_ key: String) -> TemplateProblem {
    TemplateProblem(place, "the key \(key) of \(object.className) has a value of an unknown kind")
  }
}
