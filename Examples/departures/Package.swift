// swift-tools-version: 6.2
import PackageDescription

// A small app with tests, using only public interfaces.
let package = Package(
  name: "departures",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "seedbank", path: "../..")],
  targets: [
    .target(name: "Departures", dependencies: [.product(name: "SeedClient", package: "seedbank")]),
    .executableTarget(name: "departures-board", dependencies: ["Departures"]),
    .testTarget(
      name: "DeparturesTests",
      dependencies: ["Departures", .product(name: "SeedClientTesting", package: "seedbank")]),
  ],
  swiftLanguageModes: [.v6]
)
