import SeedDatabase
package import SeedSystem

/// The web page's files, read once at start.
package struct StaticPages: Sendable {
  struct Page: Sendable {
    let document: ServedDocument
    let mediaType: String
  }

  /// By path; `/` is `index.html`.
  private var pages: [String: Page] = [:]
  private(set) var problems: [String] = []

  private static let index = "index.html"
  /// No external resources, no inline code, no framing by other sites. The script draws the icon of a front that is away.
  static let securityPolicy =
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

  package init() {}

  /// Reads the folder's files with known extensions. Ignores hidden files and subfolders.
  package init(folder: String) throws(FileError) {
    let known = try Folder.names(in: folder).filter { !$0.hasPrefix(".") && Self.mediaType(of: $0) != nil }
    // Puts the index page first, so the limit never excludes it.
    let names = known.filter { $0 == Self.index } + known.filter { $0 != Self.index }.sorted()
    for name in names.prefix(FrontLimits.pageFiles) { add(name, in: folder) }
    if names.count > FrontLimits.pageFiles {
      problems.append(
        "\(folder) has \(names.count) files for the web page. Only the first \(FrontLimits.pageFiles) are served."
      )
    }
    pages["/"] = pages["/\(Self.index)"]
  }

  /// An unreadable file does not stop the front.
  private mutating func add(_ name: String, in folder: String) {
    do throws(FileError) {
      let bytes = try DurableFile.read("\(folder)/\(name)", limit: FrontLimits.pageBytes)
      pages["/\(name)"] = Page(
        document: ServedDocument(bytes), mediaType: Self.mediaType(of: name) ?? "")
    } catch {
      problems.append("A file of the web page is not served: \(error)")
    }
  }

  subscript(path: String) -> Page? { pages[path] }

  static func isIndex(_ path: String) -> Bool { path == "/" || path == "/\(index)" }

  private static func mediaType(of name: String) -> String? {
    name.split(separator: ".", omittingEmptySubsequences: false).last.flatMap { mediaTypes[String($0)] }
  }

  private static let mediaTypes = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "txt": "text/plain; charset=utf-8", "svg": "image/svg+xml",
    "png": "image/png", "ico": "image/x-icon",
  ]
}
