import SeedFormat
import SeedServer

struct SetupReport: Sendable {
  let draft: DeploymentDraft
  let origin: String
  var isOriginMade = false
  let keyCount: Int
  let contents: String
  let notes: [SetupNote]
  let isDryRun: Bool
  let isFoundByItself: Bool

  var next: String { isFoundByItself ? "seedbank run" : "seedbank run --config \(shellQuoted(draft.file))" }

  var text: String {
    let verb = isDryRun ? "Would write" : "Wrote"
    let written = entries.map { "\(verb) \($0.path.printable)\($0.remark.isEmpty ? "" : ": \($0.remark)")" }
    let lines = SetupNote.lines(notes).map(\.printable) + numberingAdvice
    return (written + lines + ["", "Next: \(next)"]).joined(separator: "\n")
  }

  private var numberingAdvice: [String] {
    guard let model = draft.dataset.models.last, !model.projections.isEmpty, !isOriginMade else { return [] }
    let column = DraftedTable.rowNumberColumn
    return [
      "Numbered rows have their number in the origin's file as their key, in the column \(column). VACUUM, or loading"
        + " the file anew, may give rows other numbers, and clients then get them again. If some columns name each"
        + " row, make them the PRIMARY KEY in \(model.path)/\(ModelFolder.schemaFileName) before the first run, and"
        + " remove \(column) there and in the table's own .sql file."
    ]
  }

  var json: JSONValue {
    [
      "dryRun": .bool(isDryRun), "dataset": .string(draft.dataset.name.text),
      "models": JSONValue(strings: draft.dataset.models.map(\.version.description)),
      "directory": .string(draft.directory), "origin": .string(origin),
      "written": JSONValue(strings: entries.map(\.path)),
      "skipped": .array(notes.filter(\.kind.isLeftOut).map(\.json)),
      "keys": .array(notes.filter { !$0.kind.isLeftOut }.map(\.json)),
      "next": .string(next),
    ]
  }

  private var entries: [(path: String, remark: String)] {
    let texts = draft.texts.map { (path($0.path), remark(on: $0.path)) }
    let usual = DeploymentConfiguration.Usual.self
    let made = isOriginMade ? [(origin, "the origin; change it, and clients follow")] : []
    return made + texts + [
      (
        path(usual.keys),
        "\(keyCount) signing keys; move those of root and targets to a safe place before you go public"
      ),
      (draft.rootFile, "what clients trust; ship it with the app"),
      (path(usual.publication), "signed, and empty until the first run"),
    ]
  }

  private func remark(on path: String) -> String {
    path.hasSuffix("/\(ModelFolder.schemaFileName)") && draft.dataset.models.count == 1 ? contents : ""
  }

  private func path(_ name: String) -> String { Paths.absolute(name, from: draft.directory) }
}

extension SetupNote {
  fileprivate var json: JSONValue {
    .object(
      .init(
        ("kind", .string(kind.rawValue)), ("name", .string(name)),
        (kind == .clause ? "clause" : "parent", part.map(JSONValue.string)),
        ("reason", .string(reason))))
  }
}

/// As a POSIX shell reads it back: one word.
func shellQuoted(_ text: String) -> String {
  let isPlain = text.unicodeScalars.allSatisfy {
    !$0.isASCII || $0.properties.isAlphabetic || ("0"..."9").contains($0)
      || "/._-+,:@".unicodeScalars.contains($0)
  }
  return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
}
