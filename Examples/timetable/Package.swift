// swift-tools-version: 6.2
import PackageDescription

// A small app that uses only the library's public interface.
let package = Package(
  name: "timetable",
  platforms: [.macOS(.v14), .iOS(.v17)],
  dependencies: [.package(name: "seedbank", path: "../..")],
  targets: [
    // Apple's systems have a SQLite module.
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
