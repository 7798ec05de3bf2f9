package import SeedFormat

package struct Metadata<Role: SignedRole>: Hashable, Sendable {
  package let signed: Role
  /// Key ids are unique.
  package private(set) var signatures: [RoleSignature]
  /// The canonical form of the `signed` object as read, which the signatures cover.
  package let signedBytes: [UInt8]
  private let other: [JSONMember]

  /// Reads a file without verifying its signatures.
  package init(parsing bytes: [UInt8]) throws(MalformedJSON) {
    var document = try JSONObjectReader(parsing: bytes, at: "")
    signatures = try document.list("signatures", by: "keyid", \.keyID, RoleSignature.init(reading:))
    let tree = try document.take("signed")
    signedBytes = try CanonicalJSON.bytes(of: tree)
    var fields = try JSONObjectReader(tree, at: "signed")
    var role = try Role(reading: &fields)
    role.header.other = fields.unread
    signed = role
    other = document.unread
  }

  package init(unsigned role: Role) throws(MalformedJSON) {
    signed = role
    signedBytes = try CanonicalJSON.bytes(of: role.json)
    (signatures, other) = ([], [])
  }

  /// Adds a signature, replacing one with the same key id.
  package mutating func add(_ signature: RoleSignature) {
    signatures.removeAll { $0.keyID == signature.keyID }
    signatures.append(signature)
  }

  package var bytes: [UInt8] { json.bytes }

  package var json: JSONValue {
    .object(
      [JSONMember("signatures", .array(signatures.map(\.json))), JSONMember("signed", signed.json)] + other)
  }

  /// The number of distinct keys of the role that signed, whatever the number of ids.
  package func signerCount(of role: RoleKeys, among keys: [String: RoleKey]) -> Int {
    Set(signers(of: role, among: keys).values).count
  }

  /// The role's keys that signed, by key id.
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
    do {
      return try Metadata(parsing: bytes)
    } catch {
      throw .malformed(role: role, error)
    }
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
  private let other: [JSONMember]

  package init(keyID: String, hex: String) { (self.keyID, self.hex, other) = (keyID, hex, []) }

  init(reading fields: inout JSONObjectReader) throws(MalformedJSON) {
    keyID = try fields.string("keyid")
    hex = try fields.string("sig")
    other = fields.unread
  }

  var json: JSONValue { .object(.init(("keyid", .string(keyID)), ("sig", .string(hex))) + other) }
}

extension JSONObjectReader {
  func has(_ name: String) -> Bool { unread.contains { $0.name == name } }

  /// The elements of an array of objects; throws if a value of `key` repeats.
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
