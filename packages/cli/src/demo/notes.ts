/** What the demonstration can be asked about. */
export const NOTES: Readonly<Record<string, string>> = {
  thread: "A thread is a conversation that is kept, with every earlier state of it.",
  run: "A run is one unit of work on a thread. It ends in exactly one way, or waits for a decision.",
  decision: "A decision answers a tool call that waits. It is durable before anybody can see it, and counts once.",
  patch: "A patch is a list of changes to the state. All patches together are the state, at any version.",
  replay: "A replay runs a finished run again from what was stored, without a model and without tools, and compares.",
  fork: "A fork is a new thread that begins where another one is, or was at an earlier version.",
  store: "A store keeps threads: a SQLite file, a folder, Postgres, or memory.",
  lease: "A lease is the right to work on a thread for a while. A process that dies loses it, and another takes over.",
};
