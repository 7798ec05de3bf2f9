import SeedClient
import SeedFormat

extension Command {
  static let pull = Command(
    definition: CommandDefinition(
      name: "pull",
      abstract: "Download a dataset, verified, and keep it fresh.",
      discussion: """
        Looks at the server once and brings the store to the newest version, by a snapshot or by the changes since. \
        Everything is verified from the root file on. The result names the SQLite file: read it, do not write to it.

        With --verify it first recomputes the digest of the data that is there from all rows; where that is not what \
        was verified when it came, a snapshot takes its place.

        With --bundle it makes the folder that an app ships instead: root, metadata and the newest snapshot, as they \
        were published. Only a bundle of the same dataset and major is replaced by it, and only by a newer one.

        A store is of one dataset and major, and refused for another. That a series comes to its end is told on stderr.

        Exit codes: 0 done, 65 the server's data is refused, 69 it does not answer, 74 a disk failed, 75 another \
        process writes to the store or makes the bundle, 78 the root file or the store's directory does not fit.
        """,
      arguments: [ArgumentDefinition(name: "url", help: "Where the publication is served.")],
      options: [
        .value("dataset", "name", isRequired: true, help: "The dataset."),
        .value("model", "major.minor", isRequired: true, help: "The model version to read it by."),
        .value("store", "dir", help: "The store's directory; it is made if it is not there."),
        .value("bundle", "dir", help: "Make what an app ships, here, instead of a store."),
        .value(
          "root", "file", isRequired: true, help: "The publication's root.json, from a source you trust."),
        .value("schema", "hash", help: "The schema hash the model must have (default: the signed one)."),
        .flag(
          "check", help: "Say what would be done and how many bytes that takes; only metadata is fetched."),
        .flag("verify", help: "Prove the data in the store first; damaged data is replaced."),
        .flag("watch", help: "Go on until SIGINT or SIGTERM, a line for each change."),
        .json,
      ],
      examples: [
        CommandExample(
          "seedbank pull https://seeds.example --dataset transit --model 2.1 \\\n"
            + "      --store ./seeds --root root.json",
          "The newest transit data in ./seeds."),
        CommandExample(
          "seedbank pull https://seeds.example --dataset transit --model 2.1 \\\n"
            + "      --bundle ./App/Seed --root root.json",
          "What the app brings along for its first start."),
      ])
  ) { arguments, context in
    let source = try PullSource(arguments, context)
    switch try PullTask(arguments, context) {
    case .bundle(let directory):
      try await BundlePull(source, into: directory).run(context.console, isJSON: arguments.flag("json"))
    case .store(let directory):
      let pull = try Pull(source, directory, context.console, isJSON: arguments.flag("json"))
      if arguments.flag("verify") { try await pull.verify() }
      if arguments.flag("check") {
        try await pull.check()
      } else if arguments.flag("watch") {
        try await pull.watch()
      } else {
        try await pull.once()
      }
    }
  }
}

/// What `pull` makes.
private enum PullTask {
  case store(String)
  case bundle(String)

  init(_ arguments: ParsedArguments, _ context: Context) throws(UsageError) {
    let store = try arguments.path("store", from: context.currentDirectory)
    let bundle = try arguments.path("bundle", from: context.currentDirectory)
    switch (store, bundle) {
    case (nil, nil): throw arguments.unsuitable("store", "nothing", "a path here, or for --bundle")
    case (let store?, nil):
      for other in ["watch", "verify"] where arguments.flag("check") && arguments.flag(other) {
        throw arguments.unsuitable("check", "--\(other)", "one of the two")
      }
      self = .store(store)
    case (_, let bundle?):
      guard store == nil, !["check", "watch", "verify"].contains(where: arguments.flag) else {
        throw arguments.unsuitable(
          "bundle", bundle, "none of --store, --watch, --check and --verify beside it")
      }
      self = .bundle(bundle)
    }
  }
}
