import SeedDatabase
package import SeedSystem

/// The web page's files, read into memory at the start and never again.
package struct StaticPages: Sendable {
  struct Page: Sendable {
    let document: ServedDocument
    let mediaType: String
  }

  /// By path; `/` is `index.html`.
  private var pages: [String: Page] = [:]
  private(set) var problems: [String] = []

  private static let index = "index.html"
  /// Nothing from elsewhere, nothing written into the markup, and no place in another site's frame.
  static let securityPolicy =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

  /// No page.
  package init() {}

  /// The folder's files with a known ending; hidden files and subfolders are left out.
  package init(folder: String) throws(FileError) {
    let known = try Folder.names(in: folder).filter { !$0.hasPrefix(".") && Self.mediaType(of: $0) != nil }
    // If there are too many, the page itself must not be missing.
    let names = known.filter { $0 == Self.index } + known.filter { $0 != Self.index }.sorted()
    for name in names.prefix(FrontLimits.pageFiles) { add(name, in: folder) }
    if names.count > FrontLimits.pageFiles {
      problems.append(
        "\(folder) has \(names.count) files for the web page. Only the first \(FrontLimits.pageFiles) are served."
      )
    }
    pages["/"] = pages["/\(Self.index)"]
  }

  /// The front starts also without a file that it cannot read.
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

  /// Whether a path is that of the first page.
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
