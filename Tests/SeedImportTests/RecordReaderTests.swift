import Foundation
import SeedFormat
import Support
import Testing

@testable import SeedImport

/// CSV records, compared with Python's csv module.
@Suite struct RecordReaderTests {
  /// One document and its format.
  private struct Case {
    let bytes: [UInt8]
    let delimiter: Character
  }

  /// The fields of all records; `nil` if the document is rejected.
  private func read(_ bytes: [UInt8], _ format: CSVFormat, pieces: Int) throws -> [[[UInt8]]]? {
    var source = DocumentSource()
    try source.restart(format) { _ in RecordHeader.Empty(bare: .string, quoted: .string) }
    var (rest, records, isAtStart, isEnd) = (bytes[...], [[[UInt8]]](), true, false)
    repeat {
      isEnd = rest.isEmpty
      if isEnd {
        source.scanner.complete()
      } else {
        rest.prefix(pieces).withUnsafeBytes { source.feed($0) }
      }
      rest = rest.dropFirst(pieces)
      if isAtStart, !source.scanner.passMark() { continue }
      isAtStart = false
      do { try take(&source, &records, format) } catch is ImportFailure { return nil }
    } while !isEnd
    return records
  }

  private func take(
    _ source: inout DocumentSource, _ records: inout [[[UInt8]]], _ format: CSVFormat
  ) throws {
    while case .value = try source.nextRecord() {
      let range = source.tape.offset(0)..<source.scanner.offset
      let texts = texts(range, source, CSVFormat.byte(format.delimiter) ?? 0)
      if source.records?.flaw == nil {
        let onTape = (0..<source.tape.count(0)).map { Array(source.text(2 + 2 * $0)) }
        #expect(onTape == texts)
      }
      records.append(texts)
    }
  }

  /// The texts of a record's fields, however many it has.
  private func texts(
    _ record: Range<Int>, _ source: borrowing DocumentSource, _ delimiter: UInt8
  ) -> [[UInt8]] {
    let (base, first) = source.scanner.held
    let scan = RecordScan(base: base, end: record.upperBound - first, isComplete: true, delimiter: delimiter)
    return scan.fields(record.lowerBound - first).map { field in
      let text = UnsafeBufferPointer(start: base + field.range.lowerBound, count: field.range.count)
      var (bytes, isFirst) = ([UInt8](), false)
      for byte in text {
        isFirst = field.isDoubled && byte == RecordScan.quote && !isFirst
        if !isFirst { bytes.append(byte) }
      }
      return bytes
    }
  }

  #if os(Linux)
  /// Python's results for all documents. Its strict mode also rejects text after a closing quotation mark.
  private func reference(_ cases: [Case]) throws -> [[[[UInt8]]]?] {
    let lines = cases.map { "\($0.delimiter.asciiValue ?? 0) \(Data($0.bytes).base64EncodedString())" }
    let output = try python(Self.script, input: lines.joined(separator: "\n") + "\n")
    return try output.split(separator: "\n").map { line in
      let value = try JSONValue(parsing: Array(line.utf8))
      return value.elements?.map { record in
        (record.elements ?? []).map { Array(Data(base64Encoded: $0.string ?? "") ?? Data()) }
      }
    }
  }

  private static let script = """
    import base64, csv, io, json, sys
    for line in sys.stdin:
      delimiter, text = (line.rstrip("\\n") + " ").split(" ")[:2]
      text = base64.b64decode(text).decode("utf-8", "surrogateescape").removeprefix("\\ufeff")
      try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=chr(int(delimiter)), strict=True)
        fields = [[base64.b64encode(f.encode("utf-8", "surrogateescape")).decode() for f in r] for r in rows if r]
        print(json.dumps(fields))
      except csv.Error:
        print("null")
    """

  private func expectSame(_ cases: [Case], _ random: inout SplitMix) throws {
    let expected = try reference(cases)
    try #require(expected.count == cases.count)
    for (document, records) in zip(cases, expected) {
      let format = CSVFormat(delimiter: document.delimiter, header: ["a", "b", "c"])
      for pieces in [1, random.pick([2, 3, 7, 8, 9]), 64 * 1024] {
        let found = try read(document.bytes, format, pieces: pieces)
        #expect(
          found == records,
          "pieces of \(pieces), \(document.delimiter): \(String(decoding: document.bytes, as: UTF8.self).debugDescription)"
        )
      }
    }
  }

  private static let delimiters: [Character] = [",", ";", "\t", "|", ":", " ", "a"]

  private static let seeds = Array(1...Stage.pick(quick: 1, full: 4, deep: 4)) as [UInt64]

  @Test(arguments: seeds)
  func `random fields with any quoting are read as by Python`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    try expectSame((0..<300).map { _ in written(&random) }, &random)
  }

  private static let parts: [[UInt8]] =
    [
      "x", "yz", "\"", ",", ";", "\t", "|", " ", "\r", "\n", "\r\n", "\0", "é", "😀",
      "longer than eight bytes",
    ]
    .map { Array($0.utf8) } + [[0xFF], [0xE9], [0xED, 0xA0, 0x80], [0xC3]]

  private func written(_ random: inout SplitMix) -> Case {
    let delimiter = random.pick(Self.delimiters.dropLast())
    let lineEnds = random.pick([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r", "\n\n"]])
    var bytes: [UInt8] = random.pick([[], [0xEF, 0xBB, 0xBF]])
    for _ in 0..<Int.random(in: 0..<6, using: &random) {
      for number in 0..<3 {
        if number > 0 { bytes += String(delimiter).utf8 }
        bytes += field(delimiter, &random)
      }
      bytes += random.pick(lineEnds).utf8
    }
    return Case(bytes: bytes, delimiter: delimiter)
  }

  private func field(_ delimiter: Character, _ random: inout SplitMix) -> [UInt8] {
    let text = (0..<Int.random(in: 0..<4, using: &random)).flatMap { _ in random.pick(Self.parts) }
    let special = Set([0x22, 0x0A, 0x0D, delimiter.asciiValue ?? 0])
    guard random.chance(50) || text.contains(where: special.contains) else { return text }
    return [0x22] + text.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22]
  }

  @Test(arguments: seeds)
  func `any bytes are read or rejected as by Python`(seed: UInt64) throws {
    var random = SplitMix(seed: seed + 4)
    let soup = ["a", ",", "\"", "\"", "\n", "\r", ";", "bcdefgh", "é"]
    let cases = (0..<600).map { _ in
      let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in random.pick(soup) }.joined()
      return Case(bytes: Array(text.utf8), delimiter: random.pick([",", ";"]))
    }
    try expectSame(cases, &random)
  }
  #endif
}
