import SeedDatabase
import SeedFormat
import SeedPublication
import SeedPublisher
import SeedSystem
import SeedTrust

extension Command {
  static let inspect = Command(
    name: "inspect", abstract: "Show the content of a seed, a delta or metadata.",
    discussion: """
      FILE is a snapshot or a delta, compressed or not, or a metadata file. A seed's digest is recomputed from its rows. \
      Signatures are not verified: 'verify' and 'pull' do that.
      """,
    arguments: [.argument("file", help: "The file to look at.")],
    options: [.json],
    examples: [
      ("seedbank inspect seed.sqlite", "Versions, tables and rows of a seed."),
      ("seedbank inspect delta-4-5.json.gz --json", "A delta's header and counts."),
    ]
  ) { arguments, context in
    let path = try arguments.requiredPath("file", from: context.currentDirectory)
    let findings = try inspected(path)
    try context.console.report(
      .object(findings),
      findings.map { "\($0.name): \($0.value.words)" }.joined(separator: "\n"))
  }
}

/// The contents of a publication's or store's file.
private func inspected(_ path: String) throws -> [JSONMember] {
  let file = JSONMember("file", .string(path))
  let kind = try FileKind(path)
  guard let encoding = kind.encoding else { return [file] + (try naming(path) { try kind.members(path) }) }
  let scratch = try ScratchFolder()
  defer { scratch.remove() }
  let inner = scratch.file("expanded")
  let raw = try Compression.expand(path, to: inner, encoding, limit: .max)
  let innerKind = try FileKind(inner)
  guard innerKind.encoding == nil else {
    throw Refusal(.badData, "\(path.printable) is compressed twice: expected a seed or a delta in it.")
  }
  let facts: [JSONMember] = .init(
    ("encoding", .string(encoding.rawValue)), ("rawLength", JSONValue(raw.length)),
    ("rawSHA256", .string(raw.sha256.hex)))
  return [file] + facts + (try naming(path) { try innerKind.members(inner) })
}

extension JSONValue {
  /// A line for people: `shop (delete 1, upsert 2), street (delete 0, upsert 4)`.
  fileprivate var words: String {
    if let members { return members.map { "\($0.name) \($0.value.nestedWords)" }.joined(separator: ", ") }
    if let elements { return elements.map(\.nestedWords).joined(separator: ", ") }
    return string ?? text
  }

  private var nestedWords: String { members == nil && elements == nil ? words : "(\(words))" }
}
