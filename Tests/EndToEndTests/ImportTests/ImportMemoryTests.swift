import Foundation
import Support
import Testing

/// What an import holds, measured by the system for the real command.
@Suite(.bounded) struct ImportMemoryTests {
  /// Runs a command and prints the most that it held, in KiB.
  private static let measure = """
    import resource, subprocess, sys
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    """

  private func peakKibibytes(rows: Int, format: String) throws -> Int {
    let folder = try TemporaryFolder()
    try Tool.sqlite(folder("app.sqlite"), "CREATE TABLE stop(id INTEGER PRIMARY KEY, name TEXT, zone TEXT);")
    let separator = format == "json" ? "," : "\n"
    let lines = (0..<rows).map {
      #"{"id":\#($0),"name":"A stop with a name of some length, number \#($0)","zone":"ABC"}"#
    }.joined(separator: separator)
    let document = format == "json" ? "[\(lines)]" : lines
    try Data(document.utf8).write(to: URL(filePath: folder("stops")))
    let output = try Tool.run([
      "python3", "-c", Self.measure, SeedbankBinary.url.path, "import", folder("stops"), "--database",
      folder("app.sqlite"), "--table", "stop", "--format", format,
    ])
    let count = try Tool.sqlite(folder("app.sqlite"), "SELECT count(*) FROM stop;")
    #expect(count == "\(rows)\n")
    return try #require(Int(output.split(separator: "\n").last ?? ""))
  }

  @Test(arguments: ["json", "ndjson"])
  func `a document of ten times the size takes no more memory`(format: String) throws {
    let small = try peakKibibytes(rows: 15_000, format: format)
    let large = try peakKibibytes(rows: 150_000, format: format)
    // The longer document has 13 MB. SQLite's cache and one batch may be full only in the longer run.
    #expect(large - small < 6 * 1024, "\(small) KiB, then \(large) KiB")
  }
}
