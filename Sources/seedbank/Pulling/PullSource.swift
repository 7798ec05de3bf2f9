import SeedClient
import SeedFormat

import struct Foundation.URL

/// What `pull` was told to pull: from where, what, and whom to trust.
struct PullSource: Sendable {
  let server: URL
  let model: SeedModel
  let root: [UInt8]
  let options: SeedOptions
  /// Hears from every look how long the series will go on.
  let notice: LifecycleNotice

  init(_ arguments: ParsedArguments, _ context: Context) throws {
    let text = arguments.required("url")
    guard let server = URL(string: text), ["http", "https"].contains(server.scheme), server.host != nil else {
      throw arguments.unsuitable("url", text, "an address such as https://seeds.example")
    }
    self.server = server
    model = try Self.model(arguments)
    root = try RootFile.bytes(arguments.requiredPath("root", from: context.currentDirectory))
    let progress = DownloadProgress(context.console)
    var options = SeedOptions()
    options.isBoundToMajor = true
    let notice = LifecycleNotice(
      model.series, context.console, isEvent: arguments.flag("watch") && arguments.flag("json"))
    options.onPhase = { phase in
      progress.tell(phase)
      if case .finished(let report) = phase { notice.tell(report.lifecycle) }
    }
    self.notice = notice
    self.options = options
  }

  private static func model(_ arguments: ParsedArguments) throws -> SeedModel {
    let dataset = try arguments.name("dataset") { text throws(InvalidName) in try DatasetName(text) }
    let model = try arguments.name("model") { text throws(InvalidName) in try ModelVersion(text) }
    guard arguments.string("schema") != nil else { return SeedModel(dataset: dataset, model: model) }
    let schema = try arguments.name("schema") { text throws(InvalidName) in try SHA256Digest(hex: text) }
    return SeedModel(dataset: dataset, model: model, schema: schema)
  }
}

extension ParsedArguments {
  /// An absolute path that must have been given.
  func requiredPath(_ name: String, from directory: String) throws(UsageError) -> String {
    guard let path = try path(name, from: directory) else { throw unsuitable(name, "nothing", "a path") }
    return path
  }

  fileprivate func name<Value>(
    _ name: String, _ read: (String) throws(InvalidName) -> Value
  ) throws(UsageError) -> Value {
    do {
      return try read(required(name))
    } catch {
      throw unsuitable(name, error.found, error.expected)
    }
  }
}
