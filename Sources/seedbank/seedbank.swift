// seedbank: the one command an operator meets.
//
// Rooms, from the ground up: Exit, CommandLine, Completion, Configuration, Keys, Setup, Models, Supervision,
// Notices, Checks, Wiring, Status, Pulling, Following, Importing, Inspection, Demo, Commands, API.
//
// Rules of this module:
// - A subcommand is a value of `Command` in its own file under Commands/, listed in `Command.all`: the only table,
//   from which parsing, help and completion come, and from help the manual pages.
// - It parses, wires and reports. What is worth testing by itself lives in the libraries below.
// - Results go to stdout, all else to stderr, both through `Console`: nothing calls `print`.
// - A failure is a sentence and an exit code. FailureReport.swift alone turns errors into either.
// - Nothing runs on the main actor: main.swift leaves it at once, because a closure made there and given to C
//   traps on another thread.
// - A configuration value comes from a flag, else the environment, else the file, else its default; nothing
//   below this module reads the environment or a configuration file.
