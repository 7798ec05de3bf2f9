import SeedFormat
import SeedTrust

/// Which keys the roles of a change will have: decided, and none made yet.
struct KeyReplacement {
  /// What one role gets.
  struct Role {
    let role: KeyRole
    /// Keys that are known: those that stay, and those that were made elsewhere.
    let known: [PublicKey]
    /// How many keys are to be made.
    let made: Int
    let threshold: Int
  }

  let published: PublishedMetadata
  let roles: [Role]

  /// Whose signatures such a change needs from the keys that there are.
  var signingRoles: [KeyRole] {
    let names = roles.map(\.role)
    // Targets keys that are replaced in the same change need not be here.
    let needsTargets = names.contains(.series) && !names.contains(.targets)
    return (names.contains(where: \.isInRoot) ? [.root] : []) + (needsTargets ? [.targets] : [])
  }

  /// `keys rotate`: all keys of the roles are replaced.
  init(rotating arguments: ParsedArguments, _ context: Context, _ published: PublishedMetadata) throws {
    self.published = published
    let names = try arguments.keyRoles(KeyRole.allCases)
    for option in ["key", "count", "threshold"] where names.count > 1 && arguments.isGiven(option) {
      throw arguments.unsuitable(option, names.map(\.rawValue).joined(separator: " "), "a single role")
    }
    if arguments.flag("lost"), !names.contains(.root) {
      throw arguments.unsuitable("lost", names.map(\.rawValue).joined(separator: " "), "the role root")
    }
    let given = try Self.givenKeys(arguments, context)
    roles = try names.map { try Self.rotation($0, given, arguments, published) }
  }

  private static func rotation(
    _ role: KeyRole, _ given: [PublicKey], _ arguments: ParsedArguments, _ published: PublishedMetadata
  ) throws -> Role {
    let now = try current(role, published)
    let usual = given.isEmpty ? now.keyIDs.count : given.count
    let count =
      try arguments.integer("count", in: max(1, given.count)...KeyPlan.keyCounts.upperBound) ?? usual
    let threshold = try arguments.integer("threshold", in: 1...count) ?? now.threshold
    guard threshold <= count else {
      throw CommandFailure(
        .usage,
        "The role \(role.rawValue) needs signatures of \(threshold) keys and would have only \(count):"
          + " give --count \(threshold) or more, or a lower --threshold.")
    }
    return Role(role: role, known: given, made: count - given.count, threshold: threshold)
  }

  /// `keys revoke`: one key goes, from every role that names it.
  init(revoking arguments: ParsedArguments, _ context: Context, _ published: PublishedMetadata) throws {
    self.published = published
    let keyID = try Self.keyID(arguments, published)
    let given = try Self.givenKeys(arguments, context)
    let isReplaced = arguments.flag("replace")
    roles = try KeyRole.allCases.compactMap { role in
      guard published.keys(of: role)?.keyIDs.contains(keyID) == true else { return nil }
      return try Self.revocation(of: keyID, role, given, isReplaced: isReplaced, published)
    }
  }

  private static func revocation(
    of keyID: String, _ role: KeyRole, _ given: [PublicKey], isReplaced: Bool,
    _ published: PublishedMetadata
  ) throws -> Role {
    let now = try current(role, published)
    let staying = now.keyIDs.filter { $0 != keyID }.compactMap { published.publicKey($0, of: role) }
    let made = isReplaced && given.isEmpty ? 1 : 0
    guard staying.count + given.count + made >= now.threshold else {
      throw CommandFailure(
        .configuration,
        "Without this key the role \(role.rawValue) has \(staying.count) keys, and \(now.threshold) must sign:"
          + " put another one in its place with --replace or --key.")
    }
    return Role(role: role, known: staying + given, made: made, threshold: now.threshold)
  }

  /// The one key that metadata names and whose id begins so.
  private static func keyID(_ arguments: ParsedArguments, _ published: PublishedMetadata) throws -> String {
    let prefix = arguments.strings("name")[0]
    guard prefix.count >= KeyFileName.tagLength else {
      throw arguments.unsuitable("name", prefix, "at least \(KeyFileName.tagLength) digits of a key's id")
    }
    let all = Set(KeyRole.allCases.flatMap { published.keys(of: $0)?.keyIDs ?? [] })
    let fitting = all.filter { $0.hasPrefix(prefix) }
    guard let keyID = fitting.first, fitting.count == 1 else {
      throw CommandFailure(
        .configuration,
        "No key in force has an id that begins with \(prefix.clipped): 'seedbank keys status' lists them.")
    }
    return keyID
  }

  private static func current(_ role: KeyRole, _ published: PublishedMetadata) throws -> RoleKeys {
    guard let keys = published.keys(of: role) else {
      throw CommandFailure(.configuration, "The publication has no series yet, and so names no key for them.")
    }
    return keys
  }

  private static func givenKeys(_ arguments: ParsedArguments, _ context: Context) throws -> [PublicKey] {
    let keys = try arguments.paths("key", from: context.currentDirectory).map { path in
      do throws(KeyFileError) {
        return try KeyFile(reading: path).key.publicKey
      } catch {
        return try PublicKeyFile.read(path)
      }
    }
    guard Set(keys).count == keys.count else {
      throw arguments.unsuitable("key", "the same key twice", "different keys")
    }
    return keys
  }
}
