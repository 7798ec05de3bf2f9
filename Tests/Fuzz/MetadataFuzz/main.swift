// Reads any bytes as metadata, as keys, and signed by a thief. Nothing may trap, touch foreign memory, or verify.
import CFuzzer

private let keyTexts = KeyTexts()
private let thief = Thief()
private let keyFiles = KeyFiles()

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  readAsMetadata(bytes)
  keyTexts.read(bytes)
  thief.sign(bytes)
  keyFiles.read(bytes)
  return 0
}

var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
var count = CommandLine.argc
_ = LLVMFuzzerRunDriver(&count, &arguments) { fuzzOneInput($0, $1) }
