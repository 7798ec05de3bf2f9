#if os(Linux)
internal import CSpawn

package enum Spawn {
  /// Starts a program as leader of its own process group, with only the given descriptors 0, 1 and 2 and default
  /// signal handling. A name without a slash is searched for in this process's `PATH`.
  package static func start(
    _ command: [String], environment: [String: String], in folder: String? = nil, input: Int32, output: Int32,
    errors: Int32
  ) throws(FileError) -> Int32 {
    let program = command.first ?? ""
    var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    _ = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    if let folder { _ = posix_spawn_file_actions_addchdir_np(&actions, folder) }
    useDefaultSignals(&attributes)
    var words = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    let failure = posix_spawnp(&process, program, &actions, &attributes, &words, &variables)
    guard failure == 0 else { throw FileError("start", program, failure) }
    return process
  }

  /// Resets signals that this process ignores or blocks, such as SIGTERM, because a child would inherit that.
  private static func useDefaultSignals(_ attributes: inout posix_spawnattr_t) {
    var (signals, none) = (sigset_t(), sigset_t())
    sigfillset(&signals)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
  }

  package static func pipe(to program: String) throws(FileError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    _ = try retrying("open a pipe to", program) { pipe2(&ends, O_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
#endif
