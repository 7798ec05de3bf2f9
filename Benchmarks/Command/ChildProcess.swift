import Foundation

enum ChildProcess {
  static func measure(_ arguments: [String]) throws -> Measurement {
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    return try JSONDecoder().decode(
      Measurement.self, from: Data(try Tool.output(of: program, arguments).utf8))
  }
}
