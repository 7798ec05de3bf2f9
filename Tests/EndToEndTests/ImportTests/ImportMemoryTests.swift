import Foundation
import Support
import Testing

/// Memory use of an import, measured by the system for the real command.
@Suite struct ImportMemoryTests {
  /// Runs a command and prints its peak memory in KiB.
  private static let measure = """
    import resource, subprocess, sys
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    """

  /// Rows that wait in vain for another row's value, and rows rejected in every other way.
  private static let badRows = [
    #"{"id":%d,"name":"a name of some length","zone":"taken"}"#, #"{"id":"x%d","name":"n"}"#, #"{"id":%d}"#,
    #"{"name":"row %d"}"#, #"{"id":%d,"#,
  ]

  /// The command's peak memory for this number of rejected rows.
  private func peakKibibytes(badRows count: Int, _ options: [String]) throws -> Int {
    let folder = try TemporaryFolder()
    try Tool.sqlite(
      folder("app.sqlite"),
      """
      CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT NOT NULL, zone TEXT UNIQUE);
      INSERT INTO stop VALUES (-1, 'first', 'taken');
      """)
    let lines = (0..<count).map { number in
      // Two of three rows wait, which needs the most memory.
      let kind = number.isMultiple(of: 3) ? 1 + number / 3 % (Self.badRows.count - 1) : 0
      return Self.badRows[kind].replacing("%d", with: "\(number)")
    }
    try folder.write(lines.joined(separator: "\n"), to: "stops")
    let arguments = options.map { $0 == "--rejects" ? "--rejects=\(folder("rejects"))" : $0 }
    let output = try Tool.run(
      [
        "python3", "-c", Self.measure, SeedbankBinary.path, "import", folder("stops"), "--database",
        folder("app.sqlite"), "--table", "stop", "--format", "ndjson",
      ] + arguments)
    #expect(try Tool.sqlite(folder("app.sqlite"), "SELECT count(*) FROM stop;") == "1\n")
    return try #require(Int(output.split(separator: "\n").last ?? ""))
  }

  @Test(
    .full,
    arguments: [
      ["--bad-rows", "skip"], ["--bad-rows", "skip", "--rejects"],
      ["--bad-rows", "skip", "--rejects", "--json"],
    ])
  func `rejected rows take no memory, even if they wait for others`(options: [String]) throws {
    let few = try peakKibibytes(badRows: 15, options)
    let many = try peakKibibytes(badRows: 45_000, options)
    #expect(many - few < 16 * 1024, "\(few) KiB, then \(many) KiB")
  }

  private func peakKibibytes(
    rows: Int, format: String, columns: String = "name TEXT, zone TEXT", _ row: (Int) -> String
  ) throws -> Int {
    let folder = try TemporaryFolder()
    try Tool.sqlite(folder("app.sqlite"), "CREATE TABLE stop(id INTEGER PRIMARY KEY, \(columns));")
    let lines = (0..<rows).map(row).joined(separator: format == "json" ? "," : "\n")
    let document = format == "json" ? "[\(lines)]" : lines
    try folder.write(document, to: "stops")
    let output = try Tool.run([
      "python3", "-c", Self.measure, SeedbankBinary.path, "import", folder("stops"), "--database",
      folder("app.sqlite"), "--table", "stop", "--format", format,
    ])
    let count = try Tool.sqlite(folder("app.sqlite"), "SELECT count(*) FROM stop;")
    #expect(count == "\(rows)\n")
    return try #require(Int(output.split(separator: "\n").last ?? ""))
  }

  @Test(.full, arguments: ["json", "ndjson"])
  func `a document of ten times the size takes no more memory`(format: String) throws {
    func row(_ number: Int) -> String {
      #"{"id":\#(number),"name":"A stop with a name of some length, number \#(number)","zone":"ABC"}"#
    }
    let small = try peakKibibytes(rows: 15_000, format: format, row)
    let large = try peakKibibytes(rows: 150_000, format: format, row)
    // The longer document has 13 MB. Only the longer run may fill SQLite's cache and a batch.
    #expect(large - small < 6 * 1024, "\(small) KiB, then \(large) KiB")
  }

  @Test(.full) func `rows that each fill other columns take a limited memory`() throws {
    let columns = (0..<15).map { "c\($0)" }
    /// Fills the columns at the number's bits.
    func row(_ number: Int) -> String {
      let filled = columns.indices.filter { number >> $0 & 1 == 1 }.map { "\"\(columns[$0])\":1" }
      return "{\((["\"id\":\(number)"] + filled).joined(separator: ","))}"
    }
    func peak(_ rows: Int) throws -> Int {
      try peakKibibytes(rows: rows, format: "ndjson", columns: columns.joined(separator: ", "), row)
    }
    let (few, many) = (try peak(5000), try peak(30_000))
    #expect(many - few < 16 * 1024, "\(few) KiB, then \(many) KiB")
  }
}
