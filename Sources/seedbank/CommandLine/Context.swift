import class Foundation.FileManager
import class Foundation.ProcessInfo

struct Context: Sendable {
  let environment: [String: String]
  let currentDirectory: String
  let console: Console

  static func process() -> Context {
    let environment = ProcessInfo.processInfo.environment
    return Context(
      environment: environment, currentDirectory: FileManager.default.currentDirectoryPath,
      console: .standard(environment: environment))
  }
}
