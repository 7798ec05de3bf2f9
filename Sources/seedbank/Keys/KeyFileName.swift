import SeedTrust

/// The name of a key's file: `root.key`, `root-2.key`, and `root-4f1a09c2.key.new` until metadata names the key.
struct KeyFileName: Hashable {
  let role: KeyRole
  /// What tells it from the role's other keys.
  let tag: String?
  /// Whether the key was made for a change that is not published yet.
  let isNew: Bool

  private static let suffix = ".key"
  private static let newSuffix = ".new"
  /// Characters of a key's id in the names of files that are made here.
  static let tagLength = 8

  /// `nil` where it is not the name of a key's file.
  init?(_ name: String) {
    isNew = name.hasSuffix(Self.newSuffix)
    let plain = isNew ? String(name.dropLast(Self.newSuffix.count)) : name
    guard plain.hasSuffix(Self.suffix) else { return nil }
    let parts = plain.dropLast(Self.suffix.count).split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let role = KeyRole(rawValue: String(parts[0])) else { return nil }
    self.role = role
    tag = parts.count > 1 ? String(parts[1]) : nil
  }

  /// The file of a role's key; without a tag where the role has only one.
  init(_ role: KeyRole, tag: String? = nil, isNew: Bool = false) {
    self.role = role
    self.tag = tag
    self.isNew = isNew
  }

  /// The file of a key that is to be named by the next metadata.
  init(new key: PublicKey, _ role: KeyRole) {
    self.init(role, tag: String(key.keyID.prefix(Self.tagLength)), isNew: true)
  }

  /// The name once metadata names the key.
  var settled: KeyFileName { KeyFileName(role, tag: tag) }

  var text: String {
    role.rawValue + (tag.map { "-\($0)" } ?? "") + Self.suffix + (isNew ? Self.newSuffix : "")
  }
}
