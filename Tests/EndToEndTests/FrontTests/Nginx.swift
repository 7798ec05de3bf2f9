import Foundation
import Support

/// An nginx process that ends with its owner.
final class Nginx {
  private let folder: TemporaryFolder
  private let program: TestProgram

  /// Starts nginx with a whole configuration, and waits until it listens.
  init(_ configuration: String, in folder: TemporaryFolder, listeningOn port: UInt16) throws {
    self.folder = folder
    // Workers of another user could not read a test's folder.
    let user = geteuid() == 0 ? "user root;\n" : ""
    try folder.write(configuration + user, to: "nginx.conf")
    program = try TestProgram(
      ["nginx", "-c", folder("nginx.conf"), "-e", folder("errors"), "-g", "daemon off;"],
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], isBare: true)
    try eventually("nginx listens") { try? RawClient(port: port) }
  }

  /// Starts nginx with one site, as a file in `/etc/nginx/conf.d` would configure it.
  convenience init(site: String, in folder: TemporaryFolder, listeningOn port: UInt16) throws {
    try self.init(
      """
      pid \(folder("pid"));
      events {}
      http {
      access_log off;
      \(Self.temporaryFiles(in: folder))
      \(site)
      }

      """, in: folder, listeningOn: port)
  }

  /// Returns directives that replace the system's temporary folders.
  static func temporaryFiles(in folder: TemporaryFolder) -> String {
    ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "  \($0)_temp_path \(folder($0));\n" }.joined()
  }

  var errors: String { (try? folder.text("errors")) ?? "" }
}

extension String {
  /// Replaces a line of a documented configuration; throws if the line is missing.
  func adapting(_ documented: String, to here: String) throws -> String {
    guard contains(documented) else {
      throw NeverHappened(what: "\(documented) in a documented configuration")
    }
    return replacing(documented, with: here)
  }
}
