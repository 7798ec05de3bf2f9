import SeedFormat
import SeedServer
import SeedTrust

extension Command {
  static let keys = Command(
    definition: CommandDefinition(
      name: "keys",
      abstract: "Say who may sign what; renew, replace and revoke keys.",
      discussion: """
        'status' says for each role which keys count, where they lie, when signatures expire and what to do next. 'renew' \
        signs root or targets metadata anew, for as long as the first time. 'rotate' replaces all keys of one or more \
        roles, 'revoke' takes a key away; --replace puts a new one in its place. All that follows from a new key is signed in \
        the same step, and clients of every age follow without a new download.

        Keys are looked for in the deployment's folder, in those that --with names, and in the files that \
        SEEDBANK_ROOT_KEY_FILE, SEEDBANK_TARGETS_KEY_FILE and so on name. Where too few of them are here, the change \
        waits: 'payload' exports what is to be signed, 'sign' signs it on a machine that has nothing but a key, and \
        'add-signature' brings the signature back. 'discard' drops a change that waits. 'new' makes a key's file.

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
        .value("with", "folder", isRepeatable: true, help: "A folder with keys, such as a USB stick."),
        .value(
          "to", "folder", isRepeatable: true,
          help: "Where new keys of root and targets go, in turn if there are several."),
        .value(
          "key", "file", isRepeatable: true,
          help: "The key to sign with ('sign'), or a public key made elsewhere ('rotate', 'revoke')."),
        .value(
          "count", "number", help: "How many keys the role gets ('rotate'; default: as many as it has)."),
        .value(
          "threshold", "number", help: "How many of them must sign ('rotate'; default: as many as now)."),
        .flag("replace", help: "Put a new key in the place of the one that goes ('revoke')."),
        .flag(
          "lost",
          help: "Begin a new chain of trust, since too few root keys are left to sign ('rotate root')."),
        .flag("yes", help: "Do it: the old root keys are gone for good ('rotate root --lost')."),
        .flag(
          "prepare",
          help: "Prepare the change though no key is here; others sign it ('renew', 'rotate', 'revoke')."),
        .json,
      ],
      examples: [
        CommandExample("seedbank keys status", "Who may sign what, until when."),
        CommandExample("seedbank keys renew root --with /media/root", "With the root key of a USB stick."),
        CommandExample(
          "seedbank keys rotate timestamp snapshot series", "After the publisher's host was broken into."),
        CommandExample("seedbank keys revoke 4f1a09c2 --replace --to /media/c", "One lost key of several."),
        CommandExample("seedbank keys payload root > root.payload", "What the root keys must sign."),
        CommandExample(
          "seedbank keys sign root.payload --key root.key > root.sig", "On the machine of the key."),
        CommandExample("seedbank keys add-signature root.sig", "Publishes once enough have signed."),
      ])
  ) { arguments, context in
    ProcessSecrets.guardMemory()
    let action = try KeyAction(checking: arguments)
    switch action {
    case .new: try KeyMaking(arguments, context).run()
    case .sign: try PayloadSigning(arguments, context).run()
    default: try KeyWork(arguments, context).run(action)
    }
  }
}
