// SeedSigning: private keys and the signatures that they make.
//
// Rules of this module:
// - Only modules that sign import it: SeedPublisher, SeedClientTesting and the command. An app does not link such code,
//   and a front cannot call it.
// - A secret key has no textual form: descriptions, reflection and errors omit it.
// - `RepositorySigner` is pure: it turns keys, the time and previous metadata into the bytes of files. Only `KeyFile`
//   accesses files, and only those that its caller names.
