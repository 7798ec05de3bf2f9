import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSigning
import SeedSystem
import SeedTrust

extension Command {
  static let keys = Command(
    name: "keys", abstract: "Show the keys; renew, replace and revoke them.",
    discussion: """
      'status' shows the keys of each role, their files, when the signatures expire, and what to do next. 'renew' \
      signs root or targets metadata again, with a new expiry date. 'rotate' replaces all keys of one or more roles. \
      'revoke' removes a key; with --replace it also makes a new one. All metadata that depends on a new key \
      is signed in the same step. Existing clients accept the new keys without a new snapshot.

      Keys are found in the deployment's folder, in the folders given by --with, and in the files given by \
      SEEDBANK_ROOT_KEY_FILE, SEEDBANK_TARGETS_KEY_FILE and so on. If too few are found, the change waits for \
      signatures: 'payload' exports the metadata to sign, 'sign' signs it on a machine that needs only a key, and \
      'add-signature' imports the signature. 'discard' drops a waiting change. 'new' makes a key file.

      'new' and 'sign' need no deployment.
      """,
    arguments: [
      .argument("action", choices: KeyAction.allCases.map(\.rawValue), help: "What to do."),
      .argument(
        "name", isRequired: false, isRepeatable: true,
        help:
          "A role (root, targets, series, snapshot, timestamp), the first digits of a key's id, or a file."),
    ],
    options: [
      .config,
      .value(
        "with", "folder", isRepeatable: true,
        actions: ["status", "renew", "rotate", "revoke", "add-signature"],
        help: "A folder with keys, such as one on a USB stick."),
      .value(
        "to", "folder", isRepeatable: true, actions: ["new", "rotate", "revoke"],
        help: "The folder for new root and targets keys. If you give several, the keys are spread over them."),
      .value(
        "key", "file", isRepeatable: true, actions: ["rotate", "revoke", "sign"],
        help: "The private key to sign with ('sign'), or a new public key from another machine."),
      .value(
        "count", "number", actions: ["rotate"],
        help: "The number of the role's new keys (default: as many as it has)."),
      .value(
        "threshold", "number", actions: ["rotate"],
        help: "How many of the role's keys must sign (default: unchanged)."),
      .flag("replace", actions: ["revoke"], help: "Make a new key in place of the revoked one."),
      .flag(
        "lost", actions: ["rotate"],
        help: "Begin a new chain of trust because too few root keys are left to sign."),
      .flag("yes", actions: ["rotate"], help: "Confirm that the old root keys are lost for good."),
      .flag(
        "prepare", actions: ["renew", "rotate", "revoke"],
        help: "Only prepare the change, without any key on this machine. Other machines sign it."), .json,
    ],
    examples: [
      ("seedbank keys status", "Every role's keys and expiry date."),
      ("seedbank keys renew root --with /media/root", "Renew root metadata with the key on a USB stick."),
      ("seedbank keys rotate timestamp snapshot series", "Replace the online keys after a break-in."),
      ("seedbank keys revoke 4f1a09c2 --replace --to /media/c", "Replace one lost key of several."),
      ("seedbank keys payload root > root.payload", "Export the metadata that the root keys must sign."),
      ("seedbank keys sign root.payload --key root.key > root.sig", "Sign it on the key's machine."),
      ("seedbank keys add-signature root.sig", "Publish it once enough keys have signed."),
    ]
  ) { arguments, context in
    ProcessSecrets.guardMemory()
    let action = try KeyAction(checking: arguments)
    if action == .new { return try makeKey(arguments, context) }
    if action == .sign { return try sign(arguments, context) }
    let configuration = try context.configuration(arguments)
    if action.publishes {
      try await Mirrors(configuration, PublicationDirectory(configuration.publication), context).check()
    }
    let folders = try arguments.paths("to")
    // New keys must sign too, so the folders that they are written to are searched.
    let others = try arguments.paths("with") + folders
    let search = KeySearch(configuration, others: others, context)
    let actions = try KeyActions(
      search, newIn: folders, lifetimeSeconds: configuration.shortestLifetime,
      rootPath: configuration.rootPath, isPrepared: arguments.flag("prepare"), now: .now()
    ) { Publisher(configuration, keys: KeySource($0)) }
    for file in try action == .status ? [] : search.found() where file.fault?.isFatal == false {
      file.warn(context.console)
    }
    switch action {
    case .status:
      let report = try actions.status()
      try context.console.report(report.json, report.text)
    case .payload:
      let (bytes, summary) = try actions.payload(try arguments.keyRoles([.root, .targets])[0])
      summary.forEach(context.console.note)
      try context.console.result(bytes)
    case .discard:
      try actions.discard()
      context.console.note(
        "The waiting key change is dropped. The files of its new keys stay, unused: 'seedbank keys status' lists them."
      )
    default:
      let report = try change(action, actions, configuration, arguments)
      try context.console.report(report.json, report.text)
      if let note = report.note { context.console.note(note) }
    }
  }

  private static func change(
    _ action: KeyAction, _ actions: KeyActions, _ configuration: DeploymentConfiguration,
    _ arguments: ParsedArguments
  ) throws -> KeyChangeReport {
    switch action {
    case .renew:
      let role = try arguments.keyRoles([.root, .targets])[0]
      // Root metadata names no series, so it can be renewed even if a model is broken.
      let datasets = role == .targets ? configuration.datasets : []
      let series = try datasets.flatMap { dataset in
        try dataset.plans().map(\.series).filter { !dataset.isRetired($0) }
      }
      return try actions.renew(role, for: series)
    case .revoke:
      let id = arguments.strings("name")[0]
      guard id.count >= KeyFileName.tagLength else {
        throw arguments.unsuitable("name", id, "at least \(KeyFileName.tagLength) digits of a key's id")
      }
      return try actions.revoke(id, for: arguments.publicKeys(), isReplaced: arguments.flag("replace"))
    case .rotate: return try rotate(actions, arguments)
    default: return try actions.addSignatures(try arguments.paths("name"))
    }
  }

  private static func rotate(_ actions: KeyActions, _ arguments: ParsedArguments) throws -> KeyChangeReport {
    let roles = try arguments.keyRoles(KeyRole.allCases)
    let given = arguments.strings("name").joined(separator: " ")
    for option in ["key", "count", "threshold"] where roles.count > 1 && arguments.flag(option) {
      throw arguments.unsuitable(option, given, "a single role")
    }
    if arguments.flag("lost"), !roles.contains(.root) {
      throw arguments.unsuitable("lost", given, "the role root")
    }
    let keys = try arguments.publicKeys()
    let most = KeyPlan.keyCounts.upperBound
    guard keys.count <= most else {
      throw arguments.unsuitable("key", "\(keys.count) keys", "at most \(most)")
    }
    return try actions.rotate(
      roles, to: keys, count: try arguments.integer("count", in: max(1, keys.count)...most),
      threshold: try arguments.integer("threshold", in: 1...most),
      loss: arguments.flag("lost") ? arguments.flag("yes") ? .confirmed : .suspected : nil)
  }

  private static func makeKey(_ arguments: ParsedArguments, _ context: Context) throws {
    let role = try arguments.keyRoles(KeyRole.allCases)[0]
    let folders = try arguments.paths("to")
    guard folders.count < 2 else {
      throw arguments.unsuitable("to", folders.joined(separator: " "), "the folder of one key")
    }
    let folder = folders.first ?? context.currentDirectory
    let (keyID, path, publicPath) = try OfflineSigning.makeKey(role, in: folder)
    try context.console.report(
      ["keyid": .string(keyID), "file": .string(path), "public": .string(publicPath)],
      "\(keyID)\n\(path)\n\(publicPath)")
    guard !context.console.isJSON else { return }
    // Each publish step signs with online keys, so they must be on the publisher's machine.
    let advice =
      role.isOffline
      ? "The first file is secret. Bring the second file to the publisher, and use it there"
      : "Move the first file, which is secret, into the publisher's keys folder, and use the second file there"
    context.console.note("\(advice) with 'seedbank keys rotate \(role.rawValue) --key \(publicPath)'.")
  }

  private static func sign(_ arguments: ParsedArguments, _ context: Context) throws {
    let payload = try arguments.paths("name")[0]
    let keys = try arguments.paths("key")
    guard keys.count == 1 else {
      throw arguments.unsuitable("key", keys.joined(separator: " "), "the file of one key")
    }
    let (signature, summary) = try OfflineSigning.sign(payload, keyFile: keys[0])
    summary.forEach(context.console.note)
    try context.console.result(signature.json)
  }
}

extension ParsedArguments {
  fileprivate func keyRoles(_ roles: [KeyRole]) throws(Refusal) -> [KeyRole] {
    var found: [KeyRole] = []
    for name in strings("name") {
      guard let role = roles.first(where: { $0.rawValue == name }), !found.contains(role) else {
        throw unsuitable("name", name, alternatives(roles.map(\.rawValue)))
      }
      found.append(role)
    }
    return found
  }

  fileprivate func publicKeys() throws -> [PublicKey] {
    let keys = try paths("key").map { try KeyFile.publicKey(inFileOrPipe: $0) }
    guard Set(keys).count == keys.count else {
      throw unsuitable("key", "the same key twice", "different keys")
    }
    return keys
  }
}

private enum KeyAction: String, CaseIterable {
  case status, new, renew, rotate, revoke, payload, sign
  case addSignature = "add-signature"
  case discard

  var publishes: Bool { [.renew, .rotate, .revoke, .addSignature].contains(self) }

  private var usage: (names: ClosedRange<Int>, expected: String) {
    switch self {
    case .status, .discard: (0...0, "nothing more")
    case .new: (1...1, "a role")
    case .renew, .payload: (1...1, "root or targets")
    case .rotate: (1...KeyRole.allCases.count, "one or more roles")
    case .revoke: (1...1, "a key's id")
    case .sign: (1...1, "the file of a payload")
    case .addSignature: (1...Int.max, "files of signatures")
    }
  }

  init(checking arguments: ParsedArguments) throws(Refusal) {
    self = KeyAction(rawValue: arguments.required("action")) ?? .status
    let names = arguments.strings("name")
    guard usage.names.contains(names.count) else {
      throw arguments.unsuitable("name", names.joined(separator: " "), usage.expected)
    }
  }
}
