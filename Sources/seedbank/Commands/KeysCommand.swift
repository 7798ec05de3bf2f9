import SeedFormat
import SeedPublication
import SeedSigning
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
      .value("with", "folder", isRepeatable: true, help: "A folder with keys, such as that of a USB stick."),
      .value(
        "to", "folder", isRepeatable: true,
        help: "The folder for new root and targets keys; several are used in turn."),
      .value(
        "key", "file", isRepeatable: true,
        help: "The key to sign with ('sign'), or a public key made elsewhere ('rotate', 'revoke')."),
      .value(
        "count", "number", help: "The number of the role's new keys ('rotate'; default: as many as it has)."),
      .value("threshold", "number", help: "How many of them must sign ('rotate'; default: as now)."),
      .flag("replace", help: "Make a new key in place of the revoked one ('revoke')."),
      .flag(
        "lost", help: "Begin a new chain of trust, if too few root keys are left to sign ('rotate root')."),
      .flag("yes", help: "Confirm that the old root keys are lost for good ('rotate root --lost')."),
      .flag(
        "prepare",
        help: "Prepare the change without any key here; others sign it ('renew', 'rotate', 'revoke')."),
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

  private var usage: (options: [String], names: ClosedRange<Int>, expected: String) {
    switch self {
    case .status: (["with"], 0...0, "nothing more")
    case .new: (["to"], 1...1, "a role")
    case .renew: (["with", "prepare"], 1...1, "root or targets")
    case .rotate:
      (
        ["with", "to", "key", "count", "threshold", "lost", "yes", "prepare"], Self.several,
        "one or more roles"
      )
    case .revoke: (["with", "to", "key", "replace", "prepare"], 1...1, "a key's id")
    case .payload: ([], 1...1, "root or targets")
    case .sign: (["key"], 1...1, "the file of a payload")
    case .addSignature: (["with"], Self.several, "files of signatures")
    case .discard: ([], 0...0, "nothing more")
    }
  }

  init(checking arguments: ParsedArguments) throws(UsageError) {
    self = KeyAction(rawValue: arguments.required("action")) ?? .status
    for option in Self.allCases.flatMap(\.usage.options)
    where arguments.flag(option) && !usage.options.contains(option) {
      let allowing = Self.allCases.filter { $0.usage.options.contains(option) }
      throw arguments.unsuitable(option, rawValue, alternatives(allowing.map { "keys \($0.rawValue)" }))
    }
    let names = arguments.strings("name")
    guard usage.names.contains(names.count) else {
      throw arguments.unsuitable("name", names.joined(separator: " "), usage.expected)
    }
  }
}
