import Foundation
import Support

/// The compiler with the modules of this build, for programs of apps.
enum BuiltModules {
  private static let libraries = ["CLinux", "CSQLite", "CZlib", "CLZMA", "CCrypto"]

  /// Compiles in `folder`; `words` are files and options.
  static func compile(_ words: [String], in folder: String) throws {
    let maps = libraries.flatMap {
      ["-Xcc", "-fmodule-map-file=\(Readme.package)/Sources/\($0)/module.modulemap"]
    }
    try Tool.run(["swiftc"] + words + ["-I", "\(SeedbankBinary.folder)/Modules"] + maps, in: folder)
  }

  /// Lists the objects of existing sources, because a build keeps the objects of removed files.
  static func objects(of module: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: "\(Readme.package)/Sources/\(module)")
      .filter { $0.hasSuffix(".swift") }
      .map { "\(SeedbankBinary.folder)/\(module).build/\($0.split(separator: "/").last ?? "").o" }
  }
}
