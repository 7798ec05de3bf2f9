// swift-tools-version: 6.2
import PackageDescription

// A small app as anyone outside would write it: it sees of the library what is public, and nothing else.
let package = Package(
  name: "timetable",
  platforms: [.macOS(.v14), .iOS(.v17)],
  dependencies: [.package(name: "seedbank", path: "../../..")],
  targets: [
    // Apple's systems bring a module of SQLite.
    .systemLibrary(name: "SQLite", providers: [.apt(["libsqlite3-dev"])]),
    .executableTarget(
      name: "timetable",
      dependencies: [
        .product(name: "SeedClient", package: "seedbank"),
        .target(name: "SQLite", condition: .when(platforms: [.linux])),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
