// Changes a snapshot, its index texts and a delta, and takes them as a client does, as if they were signed. It must reject
// them, or have the rows that they claim.
import CFuzzer

private let publication = FuzzedPublication()
private let client = FuzzedClient()

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  var forgery = Forgery(of: publication, Array(UnsafeBufferPointer(start: data, count: size)))
  client.take(forgery.run())
  return 0
}

var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
var count = CommandLine.argc
_ = LLVMFuzzerRunDriver(&count, &arguments) { fuzzOneInput($0, $1) }
