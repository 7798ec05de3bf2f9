package import SeedDatabase

/// The web page's files, read into memory once. Only what was there then is served.
package struct StaticPages: Sendable {
  struct Page: Sendable {
    let document: ServedDocument
    let mediaType: String
  }

  /// By path; `/` is `index.html`.
  private var pages: [String: Page] = [:]

  /// Everything the page needs comes from this server.
  static let securityPolicy = "default-src 'self'"
  /// What `/` says where there is no page.
  static let absence = "this front serves no web page; /v1 lists what there is"

  /// No page.
  package init() {}

  /// The files of a folder that have one of the known endings; folders within and hidden files are left out.
  package init(folder: String) throws(FileError) {
    for name in try Folder.names(in: folder).prefix(FrontLimits.pageFiles) {
      guard !name.hasPrefix("."), let mediaType = Self.mediaType(of: name) else { continue }
      let bytes = try DurableFile.read("\(folder)/\(name)", limit: FrontLimits.pageBytes)
      pages["/\(name)"] = Page(document: ServedDocument(bytes), mediaType: mediaType)
    }
    pages["/"] = pages["/index.html"]
  }

  subscript(path: String) -> Page? { pages[path] }

  private static func mediaType(of name: String) -> String? {
    switch name.split(separator: ".", omittingEmptySubsequences: false).last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "ico": "image/x-icon"
    case "txt": "text/plain; charset=utf-8"
    default: nil
    }
  }
}
