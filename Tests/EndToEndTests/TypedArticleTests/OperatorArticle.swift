import Foundation

struct OperatorArticle {
  let name: String
  let text: String
  let blocks: [Block]

  struct Block {
    let heading: String
    /// `sh` is typed; all others are files that the reader saves.
    let language: String
    let text: String
    /// The output shown after the block; `…` matches any text.
    var shown: String?
  }

  private static let folder = "\(Readme.package)/Sources/seedbank/seedbank.docc"
  private static let output = "text"

  init(_ name: String) throws {
    self.name = name
    text = try String(contentsOfFile: "\(Self.folder)/\(name).md", encoding: .utf8)
    blocks = Self.blocks(of: text.components(separatedBy: "\n"))
  }

  static func all() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.map {
      String($0.dropLast(".md".count))
    }
  }

  /// Reads line by line, because lines between fences are never headings.
  private static func blocks(of lines: [String]) -> [Block] {
    var (blocks, heading, language): ([Block], String, String?) = ([], "", nil)
    var block: [String] = []
    for line in lines {
      if let kind = language {
        guard line == "```" else {
          block.append(line)
          continue
        }
        add(Block(heading: heading, language: kind, text: block.joined(separator: "\n")), to: &blocks)
        (language, block) = (nil, [])
      } else if line.hasPrefix("```") {
        language = String(line.dropFirst(3))
      } else if line.hasPrefix("## ") || line.hasPrefix("### ") {
        heading = String(line.drop { $0 == "#" }.dropFirst())
      }
    }
    return blocks
  }

  private static func add(_ block: Block, to blocks: inout [Block]) {
    guard block.language == output, let last = blocks.indices.last, blocks[last].heading == block.heading
    else {
      return blocks.append(block)
    }
    blocks[last].shown = block.text
  }

  var typed: [Block] { blocks.filter { $0.language == "sh" } }

  func typed(under heading: String) throws -> [Block] {
    let found = typed.filter { $0.heading == heading }
    guard !found.isEmpty else { throw Missing(what: "\(name): \(heading)") }
    return found
  }

  func file(_ language: String) throws -> String {
    let found = blocks.filter { $0.language == language }
    guard found.count == 1 else { throw Missing(what: "\(name): \(found.count) blocks of \(language)") }
    return found[0].text + "\n"
  }

  struct Missing: Error {
    let what: String
  }
}
