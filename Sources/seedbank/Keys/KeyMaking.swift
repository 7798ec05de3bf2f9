import SeedDatabase
import SeedFormat
import SeedSystem
import SeedTrust

/// `seedbank keys new`: a key's file, and the file of its public half beside it.
struct KeyMaking {
  private let role: KeyRole
  private let folder: String
  private let asJSON: Bool
  private let console: Console

  init(_ arguments: ParsedArguments, _ context: Context) throws(UsageError) {
    role = try arguments.keyRoles(KeyRole.allCases)[0]
    folder = try arguments.paths("to", from: context.currentDirectory).last ?? context.currentDirectory
    asJSON = arguments.flag("json")
    console = context.console
  }

  func run() throws {
    let key = SigningKey.generate()
    let tag = String(key.publicKey.keyID.prefix(KeyFileName.tagLength))
    let path = "\(folder)/\(KeyFileName(role, tag: tag).text)"
    let publicPath = "\(folder)/\(role.rawValue)-\(tag).pub"
    try KeyFile.write(key, toNewFile: path)
    try DurableFile.write(PublicKeyFile.document(key.publicKey), to: publicPath)
    if asJSON {
      return try console.result(
        [
          "keyid": .string(key.publicKey.keyID), "file": .string(path), "public": .string(publicPath),
        ] as JSONValue)
    }
    try console.result("\(key.publicKey.keyID)\n\(path)\n\(publicPath)")
    console.note(
      "The first file is secret. Where the key is to count, take the second one to the publisher:"
        + " 'seedbank keys rotate \(role.rawValue) --key \(publicPath)'.")
  }
}

extension ParsedArguments {
  /// The roles that the names stand for, each one of `roles` and none twice.
  func keyRoles(_ roles: [KeyRole]) throws(UsageError) -> [KeyRole] {
    var found: [KeyRole] = []
    for name in strings("name") {
      guard let role = roles.first(where: { $0.rawValue == name }), !found.contains(role) else {
        throw unsuitable("name", name, alternatives(roles.map(\.rawValue)))
      }
      found.append(role)
    }
    return found
  }

  /// Absolute paths of a repeatable option.
  func paths(_ name: String, from directory: String) throws(UsageError) -> [String] {
    var paths: [String] = []
    for text in strings(name) {
      guard Paths.isUsable(text) else { throw unsuitable(name, text, "a path") }
      paths.append(Paths.absolute(text, from: directory))
    }
    return paths
  }
}
