// Reads any bytes as a binary property list, and walks all objects.
import CFuzzer
import SeedTemplate

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  guard let list = try? BinaryPlist(bytes) else { return 0 }
  precondition(list.objects.count <= bytes.count, "more objects than bytes")
  for object in list.objects {
    switch object {
    case .array(let members): require(members, list)
    case .dictionary(let members): require(members.map(\.value), list)
    case .null, .bool, .integer, .real, .date, .data, .string, .uid: break
    }
  }
  precondition((try? BinaryPlist(bytes))?.objects.count == list.objects.count, "read otherwise a second time")
  return 0
}

private func require(_ members: [Int], _ list: BinaryPlist) {
  precondition(members.allSatisfy(list.objects.indices.contains), "a member lies outside")
}

var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
var count = CommandLine.argc
_ = LLVMFuzzerRunDriver(&count, &arguments) { fuzzOneInput($0, $1) }
