import SeedFormat
import SeedServer
import SeedTrust

extension Command {
  static let keys = Command(
    definition: CommandDefinition(
      name: "keys",
      abstract: "Show the keys; renew, replace and revoke them.",
      discussion: """
        'status' shows for each role its keys, their files, when its signatures expire, and what to do next. 'renew' \
        signs root or targets metadata anew, with a fresh expiry date. 'rotate' replaces all keys of one or more roles. \
        'revoke' removes a key; with --replace it makes a new one in its place. All metadata that depends on a new key \
        is signed in the same step, and old and new clients follow without a new download.

        Keys are found in the deployment's folder, in the folders given by --with, and in the files given by \
        SEEDBANK_ROOT_KEY_FILE, SEEDBANK_TARGETS_KEY_FILE and so on. If there are too few, the change waits for \
        signatures: 'payload' exports the metadata to sign, 'sign' signs it on a machine that needs only a key, and \
        'add-signature' imports the signature. 'discard' drops a waiting change. 'new' makes a key file.

        'new' and 'sign' need no deployment.
        """,
      arguments: [
        ArgumentDefinition(name: "action", choices: KeyAction.allCases.map(\.rawValue), help: "What to do."),
        ArgumentDefinition(
          name: "name", isRequired: false, isRepeatable: true,
          help:
            "A role (root, targets, series, snapshot, timestamp), the first digits of a key's id, or a file."),
      ],
      options: [
        .config,
        .value("with", "folder", isRepeatable: true, help: "A folder with keys, such as that of a USB stick."),
        .value(
          "to", "folder", isRepeatable: true,
          help: "The folder for new root and targets keys; several take turns."),
        .value(
          "key", "file", isRepeatable: true,
          help: "The key to sign with ('sign'), or a public key made elsewhere ('rotate', 'revoke')."),
        .value(
          "count", "number", help: "The number of the role's new keys ('rotate'; default: as many as it has)."),
        .value(
          "threshold", "number", help: "How many of them must sign ('rotate'; default: as now)."),
        .flag("replace", help: "Make a new key in place of the revoked one ('revoke')."),
        .flag(
          "lost",
          help: "Begin a new chain of trust, if too few root keys are left to sign ('rotate root')."),
        .flag("yes", help: "Confirm that the old root keys are lost for good ('rotate root --lost')."),
        .flag(
          "prepare",
          help: "Prepare the change without any key here; others sign it ('renew', 'rotate', 'revoke')."),
        .json,
      ],
      examples: [
        CommandExample("seedbank keys status", "Every role's keys and expiry date."),
        CommandExample("seedbank keys renew root --with /media/root", "Renew root metadata with the key of a USB stick."),
        CommandExample(
          "seedbank keys rotate timestamp snapshot series", "Replace the online keys after a break-in."),
        CommandExample("seedbank keys revoke 4f1a09c2 --replace --to /media/c", "Replace one lost key of several."),
        CommandExample("seedbank keys payload root > root.payload", "Export the metadata that the root keys must sign."),
        CommandExample(
          "seedbank keys sign root.payload --key root.key > root.sig", "Sign it on the machine of the key."),
        CommandExample("seedbank keys add-signature root.sig", "Publish it once enough keys have signed."),
      ])
  ) { arguments, context in
    ProcessSecrets.guardMemory()
    switch try KeyAction(checking: arguments) {
    case .new: try KeyMaking(arguments, context).run()
    case .sign: try PayloadSigning(arguments, context).run()
    case .status: try KeyActions(arguments, context).status()
    case .renew: try KeyActions(arguments, context).renew()
    case .rotate: try KeyActions(arguments, context).rotate()
    case .revoke: try KeyActions(arguments, context).revoke()
    case .payload: try KeyActions(arguments, context).exportPayload()
    case .addSignature: try KeyActions(arguments, context).addSignatures()
    case .discard: try KeyActions(arguments, context).discard()
    }
  }
}

/// The actions of `seedbank keys`, each with its options.
private enum KeyAction: String, CaseIterable {
  case status, new, renew, rotate, revoke, payload, sign
  case addSignature = "add-signature"
  case discard

  /// Throws if an option belongs to another action.
  init(checking arguments: ParsedArguments) throws(UsageError) {
    // The parser lets no other word pass.
    self = KeyAction(rawValue: arguments.required("action")) ?? .status
    for option in Self.optionNames where arguments.isGiven(option) && !options.contains(option) {
      throw arguments.unsuitable(option, rawValue, Self.words(allowing: option))
    }
    let count = arguments.strings("name").count
    guard names.contains(count) else {
      throw arguments.unsuitable(
        "name", count == 0 ? "" : arguments.strings("name").joined(separator: " "), expected)
    }
  }

  private static let optionNames = [
    "with", "to", "key", "count", "threshold", "replace", "lost", "yes", "prepare",
  ]

  private var options: Set<String> {
    switch self {
    case .status, .addSignature: ["with"]
    case .new: ["to"]
    case .renew: ["with", "prepare"]
    case .rotate: ["with", "to", "key", "count", "threshold", "lost", "yes", "prepare"]
    case .revoke: ["with", "to", "key", "replace", "prepare"]
    case .sign: ["key"]
    case .payload, .discard: []
    }
  }

  /// The number of names that it takes.
  private var names: ClosedRange<Int> {
    switch self {
    case .status, .discard: 0...0
    case .rotate, .addSignature: 1...KeyRole.allCases.count
    default: 1...1
    }
  }

  private var expected: String {
    switch self {
    case .status, .discard: "nothing more"
    case .renew, .payload: "root or targets"
    case .rotate: "one or more roles"
    case .new: "a role"
    case .revoke: "a key's id"
    case .sign: "the file of a payload"
    case .addSignature: "files of signatures"
    }
  }

  private static func words(allowing option: String) -> String {
    alternatives(allCases.filter { $0.options.contains(option) }.map { "keys \($0.rawValue)" })
  }
}
