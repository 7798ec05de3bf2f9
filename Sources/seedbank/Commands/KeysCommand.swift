import SeedFormat
import SeedPublication
import SeedTrust

extension Command {
  static let keys = Command(
    name: "keys", abstract: "Show the keys; renew, replace and revoke them.",
    discussion: """
      'status' shows for each role its keys, their files, when its signatures expire, and what to do next. 'renew' \
      signs root or targets metadata again, with a fresh expiry date. 'rotate' replaces all keys of one or more roles. \
      'revoke' removes a key; with --replace it makes a new one in its place. All metadata that depends on a new key \
      is signed in the same step, and old and new clients follow without a new download.

      Keys are found in the deployment's folder, in the folders given by --with, and in the files given by \
      SEEDBANK_ROOT_KEY_FILE, SEEDBANK_TARGETS_KEY_FILE and so on. If there are too few, the change waits for \
      signatures: 'payload' exports the metadata to sign, 'sign' signs it on a machine that needs only a key, and \
      'add-signature' imports the signature. 'discard' drops a waiting change. 'new' makes a key file.

      'new' and 'sign' need no deployment.
      """,
    arguments: [
      .argument("action", choices: KeyAction.allCases.map(\.rawValue), help: "What to do."),
      .argument(
        "name", isRequired: false, isRepeatable: true, suggestions: KeyRole.allCases.map(\.rawValue),
        help:
          "A role (root, targets, series, snapshot, timestamp), the first digits of a key's id, or a file."),
    ],
    options: [
      .config,
      .value(
        "with", "folder", isRepeatable: true,
        actions: ["status", "renew", "rotate", "revoke", "add-signature"],
        help: "A folder with keys, such as that of a USB stick."),
      .value(
        "to", "folder", isRepeatable: true,
        actions: ["new", "rotate", "revoke"],
        help: "The folder for new root and targets keys; several are used in turn."),
      .value(
        "key", "file", isRepeatable: true,
        actions: ["rotate", "revoke", "sign"],
        help: "The key to sign with ('sign'), or a public key made elsewhere."),
      .value(
        "count", "number", actions: ["rotate"],
        help: "The number of the role's new keys (default: as many as it has)."),
      .value(
        "threshold", "number", actions: ["rotate"], help: "How many of them must sign (default: as now)."),
      .flag("replace", actions: ["revoke"], help: "Make a new key in place of the revoked one."),
      .flag(
        "lost", actions: ["rotate"],
        help: "Begin a new chain of trust, if too few root keys are left to sign."),
      .flag("yes", actions: ["rotate"], help: "Confirm that the old root keys are lost for good."),
      .flag(
        "prepare",
        actions: ["renew", "rotate", "revoke"],
        help: "Prepare the change without any key here; others sign it."),
      .json,
    ],
    examples: [
      ("seedbank keys status", "Every role's keys and expiry date."),
      ("seedbank keys renew root --with /media/root", "Renew root metadata with the key of a USB stick."),
      ("seedbank keys rotate timestamp snapshot series", "Replace the online keys after a break-in."),
      ("seedbank keys revoke 4f1a09c2 --replace --to /media/c", "Replace one lost key of several."),
      ("seedbank keys payload root > root.payload", "Export the metadata that the root keys must sign."),
      ("seedbank keys sign root.payload --key root.key > root.sig", "Sign it on the key's machine."),
      ("seedbank keys add-signature root.sig", "Publish it once enough keys have signed."),
    ]
  ) { arguments, context in
    ProcessSecrets.guardMemory()
    let action = try KeyAction(checking: arguments)
    if action.publishes {
      let configuration = try context.configuration(arguments)
      try Mirrors(configuration, PublicationDirectory(configuration.publication), context).check()
    }
    switch action {
    case .new: try OfflineSigning.makeKey(arguments, context)
    case .sign: try OfflineSigning.sign(arguments, context)
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

private enum KeyAction: String, CaseIterable {
  case status, new, renew, rotate, revoke, payload, sign
  case addSignature = "add-signature"
  case discard

  var publishes: Bool { [.renew, .rotate, .revoke, .addSignature].contains(self) }

  private static let several = 1...KeyRole.allCases.count

  private var usage: (names: ClosedRange<Int>, expected: String) {
    switch self {
    case .status, .discard: (0...0, "nothing more")
    case .new: (1...1, "a role")
    case .renew, .payload: (1...1, "root or targets")
    case .rotate: (Self.several, "one or more roles")
    case .revoke: (1...1, "a key's id")
    case .sign: (1...1, "the file of a payload")
    case .addSignature: (Self.several, "files of signatures")
    }
  }

  init(checking arguments: ParsedArguments) throws(UsageError) {
    self = KeyAction(rawValue: arguments.required("action")) ?? .status
    let names = arguments.strings("name")
    guard usage.names.contains(names.count) else {
      throw arguments.unsuitable("name", names.joined(separator: " "), usage.expected)
    }
  }
}
