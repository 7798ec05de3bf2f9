package import SeedFormat
package import SeedSystem

package struct Metadata<Role: SignedRole>: Hashable, Sendable {
  package let signed: Role
  /// The signatures; their key ids are unique.
  package private(set) var signatures: [RoleSignature]
  /// The bytes that the signatures cover: the canonical form of the `signed` object.
  package let signedBytes: [UInt8]
  /// The `signed` object as read, with all unknown fields, because the signatures cover them.
  private let tree: JSONValue

  /// Reads a file without verifying its signatures.
  package init(parsing bytes: [UInt8]) throws(MalformedJSON) {
    var document = try JSONObjectReader(parsing: bytes, at: "")
    signatures = try document.list("signatures", by: "keyid", \.keyID, RoleSignature.init(reading:))
    tree = try document.take("signed")
    signedBytes = try CanonicalJSON.bytes(of: tree)
    var fields = try JSONObjectReader(tree, at: "signed")
    var role = try Role(reading: &fields)
    role.header.other = fields.unread
    signed = role
  }

  package init(unsigned role: Role) throws(MalformedJSON) {
    (signed, signatures, tree) = (role, [], role.json)
    signedBytes = try CanonicalJSON.bytes(of: tree)
  }

  /// Adds a signature, replacing one with the same key id.
  package mutating func add(_ signature: RoleSignature) {
    signatures.removeAll { $0.keyID == signature.keyID }
    signatures.append(signature)
  }

  package var bytes: [UInt8] { json.bytes }

  package var json: JSONValue { ["signatures": .array(signatures.map(\.json)), "signed": tree] }

  /// Returns the number of the role's distinct keys that signed; a key with several ids counts once.
  package func signerCount(of role: RoleKeys, among keys: [String: RoleKey]) -> Int {
    Set(signers(of: role, among: keys).values).count
  }

  package func signers(of role: RoleKeys, among keys: [String: RoleKey]) -> [String: VerificationKey] {
    var signers: [String: VerificationKey] = [:]
    for signature in signatures where role.keyIDs.contains(signature.keyID) {
      guard let key = keys[signature.keyID]?.verificationKey,
        let bytes = hexBytes(ofEitherCase: signature.hex)
      else { continue }
      if key.verify(bytes, of: signedBytes) { signers[signature.keyID] = key }
    }
    return signers
  }

  static func read(_ bytes: [UInt8], _ role: String) throws(TrustError) -> Metadata {
    do { return try Metadata(parsing: bytes) } catch { throw .malformed(role: role, error) }
  }

  /// Throws if fewer of the role's keys signed than its delegator requires.
  package func check(_ role: String, signedFor delegator: some SignedRole) throws(TrustError) {
    guard let needed = delegator.roleKeys(of: role) else {
      throw .missingRole(role: role, place: type(of: delegator).type)
    }
    let found = signerCount(of: needed, among: delegator.keysByID)
    guard found >= needed.threshold else {
      throw .badSignature(role: role, found: found, needed: needed.threshold)
    }
  }
}

package struct RoleSignature: Hashable, Sendable {
  package let keyID: String
  /// Hexadecimal, of either case.
  package let hex: String

  package init(keyID: String, hex: String) { (self.keyID, self.hex) = (keyID, hex) }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    keyID = try fields.string("keyid")
    hex = try fields.string("sig")
  }

  var json: JSONValue { ["keyid": .string(keyID), "sig": .string(hex)] }
}

extension JSONObjectReader {
  package mutating func objectIfPresent<Value>(
    _ name: String, _ read: (inout JSONObjectReader) throws(MalformedJSON) -> Value
  ) throws(MalformedJSON) -> Value? {
    guard var object = try objectIfPresent(name) else { return nil }
    return try read(&object)
  }

  /// Returns the elements of an array of objects; throws if two of them have the same `key`.
  mutating func list<Element>(
    _ name: String, by keyName: String, _ key: (Element) -> String,
    _ read: (inout JSONObjectReader) throws(MalformedJSON) -> Element
  ) throws(MalformedJSON) -> [Element] {
    var elements: [Element] = []
    var keys: Set<String> = []
    for var object in try objects(name) {
      let element = try read(&object)
      guard keys.insert(key(element)).inserted else {
        throw object.error(keyName, "occurs twice: \(key(element))")
      }
      elements.append(element)
    }
    return elements
  }
}

/// OLPC's canonical JSON, the bytes that TUF signs: members sorted by code point, no white space, whole numbers only,
/// and no escapes but `\"` and `\\`. Control characters are not escaped, so the result may be invalid JSON.
package enum CanonicalJSON {
  /// Throws for a number with a fraction, which canonical JSON does not support.
  package static func bytes(of value: JSONValue) throws(MalformedJSON) -> [UInt8] {
    var buffer: [UInt8] = []
    try append(value, at: "document", to: &buffer)
    return buffer
  }

  private static func append(
    _ value: JSONValue, at path: String, to buffer: inout [UInt8]
  ) throws(MalformedJSON) {
    switch value {
    case .null, .bool, .integer: JSONWriter.append(value, to: &buffer)
    case .real: throw .field(path: path, reason: "a number with a fraction has no canonical form")
    case .string(let text): append(text, to: &buffer)
    case .array(let elements):
      try JSONWriter.list(Array(elements.enumerated()), "[", "]", &buffer) {
        element, buffer throws(MalformedJSON) in
        try append(element.element, at: "\(path)[\(element.offset)]", to: &buffer)
      }
    case .object(let members):
      try JSONWriter.list(members.sorted(by: isBefore), "{", "}", &buffer) {
        member, buffer throws(MalformedJSON) in
        append(member.name, to: &buffer)
        buffer.append(UInt8(ascii: ":"))
        try append(member.value, at: "\(path).\(member.name)", to: &buffer)
      }
    }
  }

  private static func append(_ text: String, to buffer: inout [UInt8]) {
    buffer.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { buffer.append(UInt8(ascii: "\\")) }
      buffer.append(byte)
    }
    buffer.append(UInt8(ascii: "\""))
  }

  /// UTF-8 sorts by code point; `String` compares by canonical equivalence.
  private static func isBefore(_ left: JSONMember, _ right: JSONMember) -> Bool {
    left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }
}

package enum TrustError: Error, Hashable, Sendable, CustomStringConvertible {
  case badSignature(role: String, found: Int, needed: Int)
  case rollback(role: String, trusted: Int, offered: Int)
  /// The trusted version was offered again with different signed content.
  case conflict(role: String, version: Int)
  case expired(role: String, at: UTCTime)
  case wrongVersion(role: String, expected: Int, offered: Int)
  case malformed(role: String, MalformedJSON)
  case lengthMismatch(role: String, signed: Int, found: Int)
  case hashMismatch(role: String, algorithm: String)
  case tooLong(role: String, limit: Int)
  case missingRole(role: String, place: String)
  case missingFile(name: String)
  case pathNotDelegated(role: String, path: String)
  /// A bug in the caller: a role was passed before one that it depends on, or after one that depends on it.
  case outOfOrder(role: String)

  package var description: String {
    switch self {
    case .badSignature(let role, let found, let needed):
      "\(role) metadata has \(found) of the \(needed) required valid signatures"
    case .rollback(let role, let trusted, let offered):
      "\(role) metadata of version \(offered) is older than the trusted version \(trusted)"
    case .conflict(let role, let version):
      "\(role) metadata of version \(version) differs from version \(version) seen before: the publication "
        + "seems to come from an old backup; its operator should restore the newest copy with 'seedbank recover' or, "
        + "if no copy is left, run 'seedbank new-epoch'"
    case .expired(let role, let time):
      "\(role) metadata expired at \(time): the repository is stale, or this device's clock is wrong"
    case .wrongVersion(let role, let expected, let offered):
      "\(role) metadata has version \(offered), but version \(expected) was announced"
    case .malformed(let role, let reason): "\(role) metadata is malformed: \(reason)"
    case .lengthMismatch(let role, let signed, let found):
      "\(role) metadata has \(found) bytes, but \(signed) were announced"
    case .hashMismatch(let role, let algorithm):
      "the \(algorithm) of \(role) metadata does not match the announced one"
    case .tooLong(let role, let limit): "\(role) metadata is longer than \(limit) bytes"
    case .missingRole(let role, let place): "\(place) metadata does not name the role \(role)"
    case .missingFile(let name): "the repository does not have the file \(name)"
    case .pathNotDelegated(let role, let path):
      "\(role) metadata lists \(path), which was not delegated to it"
    case .outOfOrder(let role): "\(role) metadata was offered out of order"
    }
  }
}
