// swift-tools-version: 6.2
import PackageDescription

// One set of rules for every target of ours. The C modules are maps and shims, they have nothing to set.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatAllWarnings(as: .error),
]

// PostgreSQL origins link libpq, and bucket mirrors link libcurl. On a Mac, both must be requested.
#if os(Linux)
let hasPostgres = Context.environment["SEEDBANK_POSTGRES"] != "0"
let hasBuckets = Context.environment["SEEDBANK_BUCKETS"] != "0"
#else
let hasPostgres = Context.environment["SEEDBANK_POSTGRES"] == "1"
let hasBuckets = Context.environment["SEEDBANK_BUCKETS"] == "1"
#endif
let postgres: [Target.Dependency] = hasPostgres ? ["SeedPostgres"] : []
let buckets: [Target.Dependency] = hasBuckets ? ["SeedMirror"] : []

func cLibrary(_ name: String, debian: String) -> Target {
  .systemLibrary(name: name, providers: [.apt([debian])])
}

/// The embedded files become constants of `PackageResources`, so that a program needs no file beside it.
func module(_ name: String, _ dependencies: [Target.Dependency], embedding files: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: files.map { .embedInCode($0) },
    swiftSettings: strict + graphs)
}

// Symbol graphs of the modules, for the check of the documentation: see Scripts/test.
let graphs: [SwiftSetting] =
  Context.environment["SEEDBANK_GRAPHS"].map {
    [
      .unsafeFlags([
        "-emit-symbol-graph", "-emit-symbol-graph-dir", $0, "-symbol-graph-minimum-access-level", "internal",
      ])
    ]
  } ?? []

func tests(_ name: String, _ dependencies: [Target.Dependency], programs: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: programs, swiftSettings: strict)
}

// Apple platforms use CryptoKit and Compression instead of these two.
let crypto: Target.Dependency = .target(name: "CCrypto", condition: .when(platforms: [.linux]))
let linux: Target.Dependency = .target(name: "CLinux", condition: .when(platforms: [.linux]))
let lzma: Target.Dependency = .target(name: "CLZMA", condition: .when(platforms: [.linux]))
// Apple's systems have no headers of libarchive.
let archive: Target.Dependency = .target(name: "CArchive", condition: .when(platforms: [.linux]))

// Programs for libFuzzer, which link only with its flags: see Scripts/fuzz.
let fuzzing: [Target] =
  Context.environment["SEEDBANK_FUZZ"] == nil
  ? []
  : [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    fuzzer("JSONFuzz", ["SeedFormat", "Support", "CFuzzer"]),
    fuzzer("DeltaFuzz", ["SeedFormat", "CFuzzer"]),
    fuzzer("MetadataFuzz", ["SeedSystem", "SeedFormat", "SeedTrust", "SeedSigning", "CFuzzer"]),
    fuzzer(
      "SnapshotFuzz",
      ["SeedSystem", "SeedFormat", "SeedTrust", "SeedDatabase", "SeedClient", "Support", "CFuzzer"]),
  ]

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Tests/Fuzz/\(name)", swiftSettings: strict)
}

// What serves needs the standard library of macOS 15. A Mac builds it for the tests alone: see Scripts/verify-apple.
let mac: SupportedPlatform = Context.environment["SEEDBANK_SERVER"] == nil ? .macOS(.v14) : .macOS(.v15)

let package = Package(
  name: "seedbank",
  platforms: [mac, .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
  products: [
    .library(name: "SeedClient", targets: ["SeedClient"]),
    .library(name: "SeedClientUI", targets: ["SeedClientUI"]),
    .library(name: "SeedClientTesting", targets: ["SeedClientTesting"]),
    .library(name: "SeedImport", targets: ["SeedImport"]),
    .executable(name: "seedbank", targets: ["seedbank"]),
  ],
  targets: [
    cLibrary("CSQLite", debian: "libsqlite3-dev"),
    cLibrary("CMicroHTTPD", debian: "libmicrohttpd-dev"),
    cLibrary("CZlib", debian: "zlib1g-dev"),
    cLibrary("CLZMA", debian: "liblzma-dev"),
    cLibrary("CCrypto", debian: "libssl-dev"),
    cLibrary("CArchive", debian: "libarchive-dev"),
    // Parts of the C library itself.
    .systemLibrary(name: "CLinux"),

    module("SeedSystem", [linux]),
    module("SeedFormat", ["SeedSystem"]),
    module("SeedTrust", ["SeedSystem", "SeedFormat", crypto]),
    module("SeedSigning", ["SeedSystem", "SeedFormat", "SeedTrust", crypto]),
    module("SeedDatabase", ["SeedSystem", "SeedFormat", "SeedTrust", "CSQLite", "CZlib", lzma]),
    module("SeedImport", ["SeedSystem", "SeedFormat", "SeedDatabase"]),
    module("SeedHTTP", ["SeedSystem", "SeedFormat", "CMicroHTTPD"]),
    module("SeedPublication", ["SeedSystem", "SeedFormat", "SeedTrust", "SeedDatabase"]),
    module(
      "SeedPublisher",
      [
        "SeedSystem", "SeedFormat", "SeedTrust", "SeedSigning", "SeedDatabase", "SeedImport",
        "SeedPublication", archive,
      ]),
    module(
      "SeedFront", ["SeedSystem", "SeedFormat", "SeedTrust", "SeedDatabase", "SeedHTTP", "SeedPublication"],
      embedding: ["openapi.json"]),
    module("SeedClient", ["SeedSystem", "SeedFormat", "SeedTrust", "SeedDatabase"]),
    module("SeedClientUI", ["SeedSystem", "SeedFormat", "SeedClient"]),
    module(
      "SeedClientTesting",
      ["SeedSystem", "SeedFormat", "SeedTrust", "SeedSigning", "SeedDatabase", "SeedClient"]),
    .executableTarget(
      name: "seedbank",
      dependencies: [
        "SeedSystem", "SeedFormat", "SeedTrust", "SeedSigning", "SeedDatabase", "SeedImport", "SeedHTTP",
        "SeedPublication", "SeedPublisher", "SeedFront", "SeedClient", linux,
      ] + postgres + buckets,
      resources: [
        "origin", "model-1.0", "stations", "routes", "model-2.0", "model-2.1", "stop_times",
      ].map { .embedInCode("../../Examples/transit/\($0).sql") },
      swiftSettings: strict + (hasPostgres ? [.define("SEEDBANK_POSTGRES")] : [])
        + (hasBuckets ? [.define("SEEDBANK_BUCKETS")] : [])),

    .target(
      name: "Support",
      dependencies: [
        "SeedSystem", "SeedFormat", "SeedTrust", "SeedSigning", "SeedDatabase", "SeedImport",
        "SeedPublication", "SeedPublisher", "SeedClient", "SeedClientTesting",
      ],
      path: "Tests/Support", swiftSettings: strict),
    // A process of its own that reads a store while tests write to it.
    .executableTarget(
      name: "StoreReader", dependencies: ["SeedClient", "SeedFormat"], path: "Tests/StoreReader",
      swiftSettings: strict),
    // A client of any TUF repository, which Scripts/tuf-conformance tests.
    .executableTarget(
      name: "ConformanceClient", dependencies: ["SeedTrust", "SeedSystem", "Support"],
      path: "Tests/ConformanceClient",
      swiftSettings: strict),
    // Which folder may name which, read from the sources.
    tests("StructureTests", ["Support"], programs: ["planted_bundle.py"]),
    tests("SeedSystemTests", ["SeedSystem", "Support"]),
    tests("SeedFormatTests", ["SeedSystem", "SeedFormat", "Support"]),
    tests("SeedTrustTests", ["SeedSystem", "SeedTrust", "SeedSigning", "SeedFormat", "Support"]),
    tests("SeedSigningTests", ["SeedSystem", "SeedSigning", "SeedTrust", "SeedFormat", "Support"]),
    tests("SeedDatabaseTests", ["SeedSystem", "SeedDatabase", "SeedFormat", "SeedTrust", "Support"]),
    tests(
      "SeedImportTests", ["SeedSystem", "SeedImport", "SeedDatabase", "SeedFormat", "Support", "CSQLite"]),
    tests("SeedHTTPTests", ["SeedSystem", "SeedHTTP", "SeedFormat", "Support"]),
    tests(
      "SeedPublicationTests",
      [
        "SeedSystem", "SeedPublication", "SeedPublisher", "SeedDatabase", "SeedTrust", "SeedSigning",
        "SeedFormat", "Support",
      ]),
    tests(
      "SeedPublisherTests",
      [
        "SeedSystem", "SeedPublication", "SeedPublisher", "SeedDatabase", "SeedTrust", "SeedSigning",
        "SeedFormat", "Support",
      ]),
    tests(
      "SeedFrontTests",
      [
        "SeedSystem", "SeedPublication", "SeedPublisher", "SeedFront", "SeedHTTP", "SeedDatabase",
        "SeedTrust", "SeedSigning", "SeedFormat", "Support",
      ]),
    tests(
      "SeedClientTests",
      [
        "SeedSystem", "SeedClient", "SeedFront", "SeedHTTP", "SeedDatabase", "SeedTrust", "SeedFormat",
        "Support", "CSQLite",
      ]),
    tests("SeedClientUITests", ["SeedSystem", "SeedClient", "SeedClientUI", "Support"]),
    tests("SeedClientTestingTests", ["SeedClient", "SeedClientTesting", "Support"]),
    tests(
      "EndToEndTests",
      [
        "SeedSystem", "SeedFormat", "SeedTrust", "SeedSigning", "SeedDatabase", "SeedImport", "SeedHTTP",
        "SeedPublication", "SeedPublisher", "SeedFront", "SeedClient", "Support", "seedbank", "StoreReader",
      ] + postgres,
      programs: [
        "RoadTests/outside_client.py", "RoadTests/tuf_client.py", "RoadTests/without-boto3",
        "FaultTests/injector.c",
        "FaultTests/moved_clock.c", "FollowTests/later_clock.c", "KeyTests/key_crasher.c",
        "ImportTests/article_tables.py",
        "PackageTests/zsh_completion.py", "PostgresTests/psycopg_values.py", "RecipeDriver",
      ]),
  ] + fuzzing,
  swiftLanguageModes: [.v6]
)

if hasPostgres {
  package.targets += [
    cLibrary("CPostgres", debian: "libpq-dev"),
    module(
      "SeedPostgres",
      [
        "SeedSystem", "SeedFormat", "SeedTrust", "SeedDatabase", "SeedPublication", "SeedPublisher",
        "CPostgres",
      ]),
    tests(
      "SeedPostgresTests",
      [
        "SeedSystem", "SeedPostgres", "SeedPublication", "SeedPublisher", "SeedDatabase", "SeedTrust",
        "SeedFormat", "Support",
      ],
      programs: ["paused_standby.py", "storm.py"]),
  ]
}

if hasBuckets {
  package.targets += [
    cLibrary("CCurl", debian: "libcurl4-openssl-dev"),
    module("SeedMirror", ["SeedSystem", "SeedFormat", "SeedTrust", "SeedPublication", "CCurl"]),
    tests(
      "SeedMirrorTests",
      ["SeedSystem", "SeedMirror", "SeedPublication", "SeedTrust", "SeedFormat", "Support"],
      programs: ["store.py"]),
  ]
}

// Only Scripts/bench and Scripts/test build the benchmarks. They use `package` symbols, so they are no package of
// their own.
if Context.environment["SEEDBANK_BENCH"] == "1" {
  package.targets.append(
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["SeedSystem", "SeedClient", "SeedImport", "SeedDatabase", "SeedFormat", "CSQLite"],
      path: "Benchmarks", swiftSettings: strict))
}
