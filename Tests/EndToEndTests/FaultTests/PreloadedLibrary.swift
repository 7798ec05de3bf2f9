import Foundation
import SeedSystem
import Support

/// Libraries for `LD_PRELOAD`, compiled once with the Swift toolchain's clang.
enum PreloadedLibrary {
  private static let folder = Result { try TemporaryFolder() }

  /// Returns the library of the C file with this name in the caller's folder.
  static func path(_ name: String, beside source: String = #filePath) throws -> String {
    let library = try folder.get()("\(name).so")
    if !Folder.exists(library) {
      let file = URL(filePath: source).deletingLastPathComponent().appending(path: "\(name).c")
      try Tool.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, file.path, "-ldl"])
    }
    return library
  }
}
