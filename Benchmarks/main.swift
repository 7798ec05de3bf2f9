import struct Foundation.Data
import class Foundation.FileHandle
import func Foundation.exit

do {
  let arguments = Array(CommandLine.arguments.dropFirst())
  if arguments.first == MeasurementRequest.verb {
    try Measurer(MeasurementRequest(arguments)).run()
  } else if arguments.first == MemoryWorkload.verb {
    try MemoryWorkload.measure(arguments)
  } else if arguments.first == PairWorkload.verb {
    try PairWorkload.measure(arguments)
  } else if arguments.first == "publish" {
    try PublishBenchmark(PublishOptions(arguments.dropFirst())).run()
  } else if arguments.first == "front" {
    try ServingBenchmark(ServingOptions(arguments.dropFirst())).run()
  } else if arguments.first == "client" {
    try ClientBenchmark(ClientOptions(arguments.dropFirst())).run()
  } else if arguments.first == "read" {
    try ReadBenchmark(arguments.dropFirst()).run()
  } else if arguments.first == LibraryStart.verb {
    try await LibraryStart(arguments).run()
  } else if arguments.first == JSONPages.verb, arguments.count == 2 {
    try JSONPages(arguments[1]).run()
  } else {
    try ImportBenchmark(Options(arguments)).run()
  }
} catch {
  FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
  exit(1)
}
