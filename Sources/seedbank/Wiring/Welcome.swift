import SeedDatabase
import SeedFormat
import SeedServer

/// Tells a newcomer what to do once the front listens: lines to copy, and a program.
struct Welcome {
  let dataset: DatasetConfiguration
  let plan: SeriesPlan
  let server: String
  let hasPage: Bool
  let rootPath: String

  var text: String {
    """
    \(page)curl   \(curl)
    pull   \(pull)
    swift  this main.swift prints rows now and after every change:

    \(source)
    """
  }

  private var page: String { hasPage ? "page   \(server)/\n" : "" }
  private var model: ModelVersion { plan.newest.version }

  private var curl: String {
    "curl -L -o \(dataset.name).sqlite.gz '\(server)/v1/\(dataset.name)/snapshot?model=\(model)'"
  }

  /// The command as it was called, for it may not be on the path.
  private var program: String { shellQuoted(CommandLine.arguments.first ?? "seedbank") }

  private var pull: String {
    "\(program) pull \(server) --dataset \(dataset.name) --model \(model) --store store "
      + "--root \(shellQuoted(rootPath)) --watch"
  }

  private var source: String {
    let snippet = SwiftSnippet(dataset: dataset.name, model: model, schema: plan.schema.hash)
    guard let table = SwiftSnippet.example(among: plan.schema.tables) else { return snippet.declaration }
    return snippet.program(server: server, root: rootPath, table: table)
  }
}
