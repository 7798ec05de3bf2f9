import SeedDatabase
import SeedServer
import SeedSystem
import SeedTrust

/// A key's file as it was found.
struct FoundKey {
  /// What is in it.
  enum Content {
    case key(SigningKey, isTooOpen: Bool)
    case unusable(KeyFileError)
  }

  let role: KeyRole
  let path: String
  let content: Content

  init(_ role: KeyRole, _ path: String) {
    self.role = role
    self.path = path
    do throws(KeyFileError) {
      let file = try KeyFile(reading: path)
      content = .key(file.key, isTooOpen: file.isTooOpen)
    } catch {
      content = .unusable(error)
    }
  }

  var key: SigningKey? { if case .key(let key, _) = content { key } else { nil } }

  var keyID: String? { key?.publicKey.keyID }

  /// Whether the file waits for metadata that names its key.
  var isNew: Bool { KeyFileName(String(path.split(separator: "/").last ?? ""))?.isNew == true }

  /// What is wrong with the file itself; without the full stop.
  var problem: (isFatal: Bool, text: String)? {
    switch content {
    case .unusable(let error): (true, error.description)
    case .key(_, isTooOpen: true): (false, "others can read the key: chmod 600 it")
    case .key: nil
    }
  }
}

/// Where a deployment's keys are looked for: its own folder, folders that the command line names, such as a USB stick,
/// and files that the environment names.
struct KeySearch {
  let folder: String
  var others: [String] = []
  let environment: [String: String]

  init(_ configuration: DeploymentConfiguration, others: [String] = [], _ context: Context) {
    folder = configuration.keys
    self.others = others
    environment = context.environment
  }

  /// Every key file that is there.
  func found() throws -> [FoundKey] {
    let folders = others.reduce(into: [folder]) { if !$0.contains($1) { $0.append($1) } }
    return try folders.flatMap(Self.keys) + named
  }

  /// The files of one folder; other files in it are passed over.
  static func keys(in folder: String) throws -> [FoundKey] {
    try Folder.names(in: folder).compactMap { name in
      KeyFileName(name).map { FoundKey($0.role, "\(folder)/\(name)") }
    }
  }

  private var named: [FoundKey] {
    KeyRole.allCases.flatMap { role in
      let paths = environment[Self.variable(role)] ?? ""
      return paths.split(separator: ":").map { FoundKey(role, String($0)) }
    }
  }

  /// `SEEDBANK_TIMESTAMP_KEY_FILE`: the path of a role's key file, or several with colons between them.
  static func variable(_ role: KeyRole) -> String { "SEEDBANK_\(role.rawValue.uppercased())_KEY_FILE" }

  /// Whether others than the owner may look into the folder of the keys.
  var isFolderOpen: Bool { (try? FileStamp(folder)?.isOpenToOthers) == true }
}

extension [FoundKey] {
  /// The keys that can sign. A file that cannot be read stands in the way of no other key.
  var ring: KeyRing {
    var ring = KeyRing()
    for found in self {
      if let key = found.key { ring[found.role].append(key) }
    }
    return ring
  }
}
