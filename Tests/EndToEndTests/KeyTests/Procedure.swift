import Foundation

/// A procedure of the article on keys: the commands under one of its headings, as they stand.
struct Procedure {
  let heading: String
  let script: String

  /// All of them, in the article's order.
  static func all() throws -> [Procedure] {
    let path = "\(Readme.package)/Sources/seedbank/seedbank.docc/KeysAndRecovery.md"
    return try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n### ").dropFirst()
      .compactMap {
        section in
        let blocks = section.components(separatedBy: "\n```sh\n").dropFirst()
        guard let script = blocks.first?.components(separatedBy: "\n```").first else { return nil }
        return Procedure(heading: String(section.prefix { $0 != "\n" }), script: script)
      }
  }

  /// The one under that heading.
  static func named(_ heading: String) throws -> Procedure {
    guard let found = try all().first(where: { $0.heading == heading }) else {
      throw Missing(heading: heading)
    }
    return found
  }

  /// The article has no such heading.
  struct Missing: Error {
    let heading: String
  }
}
