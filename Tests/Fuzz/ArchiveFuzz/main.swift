// Reads any bytes as the archive of a managed object model. An accepted model must be consistent.
import CFuzzer
import SeedTemplate

@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: size))
  guard let model = try? ObjectModel(bytes) else { return 0 }
  precondition(model.numbered.count == model.entities.count, "an entity has no number, or two")
  precondition(Set(model.entities.map(\.name)).count == model.entities.count, "two entities of one name")
  for entity in model.entities {
    precondition(model.line(of: entity.name).first == entity, "an entity is not in its own line")
  }
  precondition((try? ObjectModel(bytes)) != nil, "refused when it was read a second time")
  return 0
}

var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
var count = CommandLine.argc
_ = LLVMFuzzerRunDriver(&count, &arguments) { fuzzOneInput($0, $1) }
