// seedbank: the operator's command.
//
// Folders, lowest first: CommandLine, Configuration, Wiring, Status, Commands, API.
//
// Rules of this module:
// - A subcommand is a value of `Command` in a file under Commands/, and is listed in `Command.all`. Parsing,
//   help and completion use only this list. The manual pages are made from help.
// - A subcommand parses, wires and reports. Logic with its own tests is in the libraries below.
// - Results go to stdout, everything else to stderr, both through `Console`; no code calls `print`.
// - A failure is a sentence and an exit code. Only Refusal+Errors.swift converts errors to them.
// - Nothing runs on the main actor, which main.swift leaves at once. A closure made on the main actor traps
//   if C calls it on another thread.
// - A configuration value comes from a flag, the environment, the file or its default, in this order; nothing below
//   this module reads the environment or a configuration file.
