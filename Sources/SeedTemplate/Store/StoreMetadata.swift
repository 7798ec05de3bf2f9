import SeedFormat
import SeedTrust

package struct StoreMetadata: Hashable, Sendable {
  package let uuid: String
  /// The version of Apple's framework that made it; 0 if missing.
  package let framework: Int64
  package let hashes: [String: [UInt8]]

  private static let place = "Z_METADATA"
  private static let hashBytes = 32

  init(uuid: String, plist: [UInt8]) throws {
    let list: BinaryPlist
    do {
      list = try BinaryPlist(plist)
    } catch {
      throw TemplateProblem(Self.place, "\(error)", .makeNew)
    }
    guard let members = list.members else {
      throw TemplateProblem(Self.place, "the property list is no dictionary", .makeNew)
    }
    func value(_ name: String) -> BinaryPlist.Object? { members[name].map { list.objects[$0] } }
    guard value("NSStoreType") == .string("SQLite") else {
      throw TemplateProblem(Self.place, "NSStoreType is not SQLite", .makeNew)
    }
    if let key = members.map(\.name).first(where: { $0.contains("CloudKit") }) {
      throw TemplateProblem("\(Self.place), \(key)", Self.mirrored, Self.unmirrored)
    }
    self.uuid = uuid
    framework = if case .integer(let version)? = value("NSPersistenceFrameworkVersion") { version } else { 0 }
    hashes = try Self.hashes(members["NSStoreModelVersionHashes"].flatMap(list.members(of:)) ?? [], list)
    try Self.check(value("NSStoreModelVersionHashesDigest"), digest, "NSStoreModelVersionHashesDigest")
    try Self.check(value("NSStoreModelVersionChecksumKey"), checksum, "NSStoreModelVersionChecksumKey")
  }

  static let mirrored = "the store is mirrored with CloudKit"
  static let unmirrored: TemplateProblem.Remedy =
    "let the app make the template with an NSPersistentContainer, or without cloudKitContainerOptions"

  private static func hashes(
    _ members: [BinaryPlist.Member], _ list: BinaryPlist
  ) throws -> [String: [UInt8]] {
    try Dictionary(
      uniqueKeysWithValues: members.map { member in
        guard case .data(let hash) = list.objects[member.value], hash.count == hashBytes else {
          throw TemplateProblem(
            "\(place), \(member.name)", "the version hash does not have \(hashBytes) bytes", .makeNew)
        }
        return (member.name, hash)
      })
  }

  private static func check(_ told: BinaryPlist.Object?, _ computed: String, _ key: String) throws {
    guard let told, told != .string(computed) else { return }
    throw TemplateProblem(
      "\(place), \(key)", "it does not match the version hashes, from which it is made", .makeNew)
  }

  private var sorted: [(name: String, hash: [UInt8])] {
    hashes.map { ($0.key, $0.value) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
  }

  /// The model's checksum, as in newer stores: SHA-256 of the entities' hashes, in Base64.
  package var checksum: String {
    Base64.encode(SHA256Digest.of(sorted.flatMap(\.hash)).bytes)
  }

  private var digest: String {
    Base64.encode(sha512(sorted.flatMap { Array($0.name.utf8) + $0.hash }))
  }
}
