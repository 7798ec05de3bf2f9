import SeedDatabase
package import SeedSystem

/// The web page's files, read once at startup.
package struct StaticPages: Sendable {
  typealias Page = (document: ServedDocument, mediaType: String)

  /// By path; `/` is `index.html`.
  private var pages: [String: Page] = [:]
  private(set) var problems: [String] = []

  private static let index = "index.html"
  /// Forbids external resources, inline code, and framing by other sites. Allows images as `data:` URLs, because
  /// the script draws the icon as such a URL when the front does not answer.
  static let securityPolicy =
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

  package init() {}

  /// Reads the folder's files with known extensions. Ignores hidden files and subfolders.
  package init(folder: String) throws(FileError) {
    for name in try Folder.names(in: folder) where !name.hasPrefix(".") {
      if let type = Self.mediaType(of: name) { add(name, type, in: folder) }
    }
    pages["/"] = pages["/\(Self.index)"]
  }

  /// Records an unreadable file as a problem, so that the front still starts.
  private mutating func add(_ name: String, _ mediaType: String, in folder: String) {
    // The server rejects other characters in a path, and does not decode escapes, so no request could name the file.
    guard name.wholeMatch(of: /[A-Za-z0-9_~-]+(\.[A-Za-z0-9_~-]+)*/) != nil else {
      problems.append(
        "A file of the web page is not served: rename \(folder)/\(name), using only English letters, digits, _, ~, - "
          + "and single dots")
      return
    }
    do throws(FileError) {
      let bytes = try DurableFile.read("\(folder)/\(name)", limit: FrontLimits.pageBytes)
      pages["/\(name)"] = (ServedDocument(bytes), mediaType)
    } catch { problems.append("A file of the web page is not served: \(error)") }
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
