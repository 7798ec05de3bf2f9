package import SeedFormat
import SeedSystem

package struct SetupReport: Sendable {
  private let draft: DeploymentDraft
  private let origin: String
  private let isOriginMade: Bool
  /// Nil for a dataset in an existing deployment.
  private let keyCount: Int?
  private let contents: String
  private let schemaRemarks: [String]
  private let isDryRun: Bool
  private let isFoundByItself: Bool

  /// `contents` gives the schema in numbers. `isFoundByItself`: commands find the deployment without `--config`.
  package init(
    _ draft: DeploymentDraft, origin: String, isOriginMade: Bool = false, keyCount: Int?,
    contents: String = "", schemaRemarks: [String] = [], isDryRun: Bool, isFoundByItself: Bool
  ) {
    (self.draft, self.origin, self.isOriginMade, self.keyCount) = (draft, origin, isOriginMade, keyCount)
    (self.contents, self.schemaRemarks) = (contents, schemaRemarks)
    (self.isDryRun, self.isFoundByItself) = (isDryRun, isFoundByItself)
  }

  private var notes: [SetupNote] { draft.notes }

  private var isAnother: Bool { keyCount == nil }

  private var next: String {
    isFoundByItself ? "seedbank run" : "seedbank run --config \(shellQuoted(draft.file))"
  }

  /// A running process reads its configuration only at startup, and a new dataset needs a signature first.
  private var remarks: [String] {
    guard isAnother else { return [] }
    return [
      "The next step publishes the dataset. It needs the targets key, which signs for each new dataset. If that key is"
        + " elsewhere, run 'seedbank keys renew targets --with FOLDER'. A running 'seedbank run' publishes the dataset"
        + " after a restart; 'seedbank serve' shows it at once."
    ]
  }

  package var text: String {
    let verb = isDryRun ? "Would write" : "Wrote"
    let written = entries.map { "\(verb) \($0.path.printable)\($0.remark.isEmpty ? "" : ": \($0.remark)")" }
    let lines =
      SetupNote.lines(notes).map(\.printable) + skippedAdvice
      + schemaRemarks.map(\.printable) + numberingAdvice + remarks
    return (written + lines + ["", "Next: \(next)"]).joined(separator: "\n")
  }

  private var skippedAdvice: [String] {
    guard notes.contains(where: \.kind.isSkipped) else { return [] }
    return [
      "To publish a skipped part, add it to schema.sql before the first run; afterwards, use 'seedbank model new'."
    ]
  }

  private var numberingAdvice: [String] {
    guard let model = draft.models.last, notes.contains(where: { $0.kind == .numbering }), !isOriginMade
    else { return [] }
    return [
      "The key of a numbered row, in the table's first column, is the row's number in the origin's file. VACUUM, or"
        + " reloading the file, may renumber rows, and then clients download these rows again. If some"
        + " columns identify each row, make them the PRIMARY KEY in \(model.schemaFile) before the first run,"
        + " and remove the column with the numbers from that file and from the table's own .sql file."
    ]
  }

  package var json: JSONValue {
    [
      "dryRun": .bool(isDryRun), "dataset": .string(draft.dataset.text),
      "models": JSONValue(strings: draft.models.map(\.version.description)),
      "directory": .string(draft.directory), "origin": .string(origin),
      "written": JSONValue(strings: entries.map(\.path)),
      "skipped": .array(notes.filter(\.kind.isSkipped).map(\.json)),
      "keys": .array(notes.filter { $0.kind == .key || $0.kind == .numbering }.map(\.json)),
      "types": .array(notes.filter { $0.kind == .type || $0.kind == .collation }.map(\.json)),
      "rows": .array(notes.filter { $0.kind == .rows || $0.kind == .rules }.map(\.json)),
      "next": .string(next),
    ]
  }

  private var entries: [(path: String, remark: String)] {
    let made = isOriginMade ? [(origin, "the origin; change it, and clients follow")] : []
    let texts = draft.texts.filter { !isAnother || $0.path != DeploymentNames.file }
    return made + texts.map { (path($0.path), remark(on: $0.path)) } + surroundings
  }

  private var surroundings: [(path: String, remark: String)] {
    guard let keyCount else { return [(draft.file, "the list of datasets, with this one added")] }
    return [
      (
        path(DeploymentNames.keys),
        "\(keyCount) signing keys; move those of root and targets to a safe place before you go public"
      ),
      (path(DeploymentNames.root), "the trust anchor; ship it with the app"),
      (path(DeploymentNames.publication), "signed, and empty until the first run"),
    ]
  }

  private func remark(on path: String) -> String {
    if path.hasSuffix("/\(KnownOrigin.fileName)") { return "the origin's schema; additions are reported" }
    return path.hasSuffix("/\(ModelFolder.schemaFileName)") && draft.models.count == 1 ? contents : ""
  }

  private func path(_ name: String) -> String { Paths.absolute(name, from: draft.directory) }
}

extension SetupNote {
  var json: JSONValue {
    .object(
      .init(
        ("kind", .string(kind.rawValue)), ("name", .string(name)),
        ("column", part.map(JSONValue.string)),
        ("reason", .string(reason)), ("remedy", remedy.isEmpty ? nil : .string(remedy))))
  }
}

/// Quotes a string as one word for a POSIX shell.
package func shellQuoted(_ text: String) -> String {
  let isPlain = text.unicodeScalars.allSatisfy {
    !$0.isASCII || $0.properties.isAlphabetic || ("0"..."9").contains($0)
      || "/._-+,:@".unicodeScalars.contains($0)
  }
  return isPlain ? text : "'\(text.replacing(scalars: "'", with: "'\\''"))'"
}
