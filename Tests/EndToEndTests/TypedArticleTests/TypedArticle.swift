import Foundation
import Support

/// Runs an operator's article block by block in a temporary folder. Commands that serve or watch keep running in their
/// own terminals, and free ports replace the documented ones.
final class TypedArticle {
  let article: OperatorArticle
  let folder: TemporaryFolder
  private var position = 0
  private var terminals: [TestProgram] = []
  private let ports: [String: UInt16]
  private let variables: [String: String]
  private let hosts: [String: String]

  private static let ordinaryPorts = ["8080", "8081", "8082"]
  /// Returns the text that a command that keeps running prints once it works, or `nil` for other commands.
  private static func sign(ofLasting line: String) -> String? {
    let ours = #/(?:[a-z]+\/)?seedbank (?:(?:run|serve)\b|follow .*--serve\b)/#
    if line.prefixMatch(of: ours) != nil { return "listening on" }
    return line.hasPrefix("python3 -m http.server") ? "Serving HTTP" : nil
  }

  init(_ name: String, variables: [String: String] = [:], hosts: [String: String] = [:]) throws {
    (self.variables, self.hosts) = (variables, hosts)
    article = try OperatorArticle(name)
    folder = try TemporaryFolder(inMemory: true)
    ports = try Dictionary(uniqueKeysWithValues: Self.ordinaryPorts.map { ($0, try freePort()) })
  }

  // MARK: Typing

  func typeUntil(_ heading: String) throws {
    guard article.typed.contains(where: { $0.heading == heading }) else {
      throw OperatorArticle.Missing(what: "\(article.name): \(heading)")
    }
    while position < article.typed.count, article.typed[position].heading != heading { try typeNext() }
  }

  func typeRest() throws { while position < article.typed.count { try typeNext() } }

  /// Types the next block and returns its output; throws if the article shows another output.
  @discardableResult
  func typeNext() throws -> String {
    let block = article.typed[position]
    position += 1
    let output = try type(block.text)
    guard let shown = block.shown, !Shown(replaced(shown)).matches(output) else { return output }
    throw Differs(heading: block.heading, shown: shown, output: output)
  }

  struct Differs: Error {
    let heading: String
    let shown: String
    let output: String
  }

  /// Types lines; a command that keeps running gets its own terminal after the previous lines have ended.
  @discardableResult
  func type(_ text: String) throws -> String {
    var (output, waiting): (String, [String]) = ("", [])
    for line in text.components(separatedBy: "\n") {
      if let sign = Self.sign(ofLasting: line) {
        output += try run(waiting)
        waiting = []
        try openTerminal(line).waits(for: sign)
      } else {
        waiting.append(line)
      }
    }
    return try output + run(waiting)
  }

  private func run(_ lines: [String]) throws -> String {
    guard !lines.isEmpty else { return "" }
    return try Tool.run(
      ["bash", "-euo", "pipefail", "-c", replaced(lines.joined(separator: "\n"))], in: folder.path,
      environment: environment)
  }

  private func openTerminal(_ line: String) throws -> TestProgram {
    try typeAside("exec \(line)")
  }

  /// Types a script into its own terminal without waiting for its end.
  @discardableResult
  func typeAside(_ script: String) throws -> TestProgram {
    let terminal = try TestProgram(
      ["bash", "-euo", "pipefail", "-c", replaced(script)], in: folder.path, environment: environment,
      joined: true)
    terminals.append(terminal)
    return terminal
  }

  func closeTerminals() {
    terminals = []
  }

  var terminalOutput: String { terminals.map(\.output).joined() }

  func port(_ ordinary: String = "8080") -> UInt16 { ports[ordinary] ?? 0 }

  var server: String { "http://127.0.0.1:\(port())" }

  private func replaced(_ text: String) -> String {
    // One pass for all ports: a port or a folder's name may contain the digits of a documented port.
    let text = text.replacing("do sleep 1; done", with: "do sleep 0.1; done").replacing(#/\b[0-9]{4}\b/#) {
      ports[String($0.output)].map(String.init) ?? String($0.output)
    }
    return hosts.reduce(text) { $0.replacing($1.key, with: $1.value) }
  }

  private var environment: [String: String] {
    OperatorsMachine.environment.merging([
      "SEEDBANK_HTTP_PORT": "\(port())", "PYTHONUNBUFFERED": "1",
    ]) { $1 }.merging(variables) { $1 }
  }

  /// Waits until the front serves this version of a series or a later one.
  func untilHead(_ version: Int, of dataset: String) throws {
    try waitUntil("version \(version) is served", every: 0.01) {
      let answer = String(
        decoding: (try? RawClient(port: port()).get("/v1/\(dataset)").body) ?? [], as: UTF8.self)
      let head = answer.firstMatch(of: #/"head":([0-9]+)/#).flatMap { Int($0.1) }
      return (head ?? 0) >= version
    }
  }
}

enum OperatorsMachine {
  /// Finds the built command as `seedbank`.
  static var environment: [String: String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let tools = SeedbankBinary.folder
    return ["PATH": "\(tools):\(path)"]
  }
}

/// An output in an article: line breaks may differ, and `…` matches any text, even none.
struct Shown {
  private let pieces: [String]

  init(_ text: String) {
    pieces = Self.flat(text).components(separatedBy: "…").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  func matches(_ output: String) -> Bool {
    let text = Self.flat(output)
    guard pieces.count > 1 else { return text == pieces[0] }
    guard text.hasPrefix(pieces[0]), text.hasSuffix(pieces[pieces.count - 1]) else { return false }
    var rest = text[...]
    for piece in pieces where !piece.isEmpty {
      guard let found = rest.range(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }

  private static func flat(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
