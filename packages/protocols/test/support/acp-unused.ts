const NO_SIGN_IN = "there is nothing to sign in to: the process belongs to its user";
const OF_OPERATOR =
  "providers and models are the operator's, in the configuration; a session chooses among them by `session/set_config_option`";
const OWN_FILES = "tools read and write where the process runs, so that a run continues when the editor is closed";
const OWN_COMMANDS = "tools run commands where the process runs, for the same reason";
const SERVERS = "MCP servers are reached by a command or an address, not through the editor";
const KEPT = "a thread is there or deleted; it has no third state";

/** Methods of ACP that this agent does not serve, and why. */
export const ACP_NOT_SERVED: Readonly<Record<string, string>> = {
  logout: NO_SIGN_IN,
  "auth/status": NO_SIGN_IN,
  "providers/list": OF_OPERATOR,
  "providers/set": OF_OPERATOR,
  "providers/disable": OF_OPERATOR,
  "session/fork": "a fork of a thread is made over HTTP (`POST /v1/threads/:id/fork`), and opened with `session/load`",
  "session/archive": KEPT,
  "session/unarchive": KEPT,
  "session/status": "the updates of a session say how it stands, also after `session/load`",
  "session/set_title": "the first prompt is the title (`session_info_update`)",
  "mcp/message": SERVERS,
};

/** Methods of ACP that this agent does not ask a client for, and why. */
export const ACP_NOT_SENT: Readonly<Record<string, string>> = {
  "fs/read_text_file": OWN_FILES,
  "fs/write_text_file": OWN_FILES,
  "terminal/create": OWN_COMMANDS,
  "terminal/output": OWN_COMMANDS,
  "terminal/release": OWN_COMMANDS,
  "terminal/wait_for_exit": OWN_COMMANDS,
  "terminal/kill": OWN_COMMANDS,
  "mcp/message": SERVERS,
  "elicitation/complete": "questions are forms, whose answer says that they are over; only those at an address need it",
  "auth/status_update": NO_SIGN_IN,
};
