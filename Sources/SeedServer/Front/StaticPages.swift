import SeedDatabase
package import SeedSystem

/// The web page's files, read into memory once. Only what was there then is served.
package struct StaticPages: Sendable {
  struct Page: Sendable {
    let document: ServedDocument
    let mediaType: String
  }

  /// By path; `/` is `index.html`.
  private var pages: [String: Page] = [:]
  /// What the operator should know of files that are not served though their names say that they should be.
  private(set) var problems: [String] = []

  private static let index = "index.html"
  /// Everything the page needs comes from this server.
  static let securityPolicy = "default-src 'self'"
  /// What `/` says where there is no page.
  static let absence = "this front serves no web page; /v1 lists what there is"

  /// No page.
  package init() {}

  /// The files of a folder that have one of the known endings; folders within and hidden files are left out.
  package init(folder: String) throws(FileError) {
    let known = try Folder.names(in: folder).filter { !$0.hasPrefix(".") && Self.mediaType(of: $0) != nil }
    // Of too many, the page itself is not the one to miss.
    let names = known.filter { $0 == Self.index } + known.filter { $0 != Self.index }.sorted()
    for name in names.prefix(FrontLimits.pageFiles) { add(name, in: folder) }
    if names.count > FrontLimits.pageFiles {
      problems.append(
        "\(folder) has \(names.count) files for the web page: the first \(FrontLimits.pageFiles) are served")
    }
    pages["/"] = pages["/\(Self.index)"]
  }

  /// A file that cannot be read is not worth the front's start.
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
