// swift-tools-version: 6.2
import PackageDescription

// Seeds for apps that read with GRDB or SQLiteData.
let package = Package(
  name: "seed-grdb",
  platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
  products: [.library(name: "SeedGRDB", targets: ["SeedGRDB"])],
  dependencies: [
    .package(name: "seedbank", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.8.0"),
  ],
  targets: [
    .target(
      name: "SeedGRDB",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "SeedClient", package: "seedbank"),
      ]),
    .executableTarget(name: "stops", dependencies: ["SeedGRDB"]),
  ],
  swiftLanguageModes: [.v6]
)
