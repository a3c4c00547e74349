/** What a code means to a caller: the HTTP status a server answers with, and whether trying again may help. */
export interface ErrorEntry {
  readonly httpStatus: number;
  readonly retryable: boolean;
  readonly when: string;
}

/** Every error the runtime can raise. Servers map `httpStatus`; callers branch on the code. */
export const ERRORS = {
  INVALID_REQUEST: {
    httpStatus: 400,
    retryable: false,
    when: "A request has the wrong shape or asks for what cannot be.",
  },
  INVALID_ID: {
    httpStatus: 400,
    retryable: false,
    when: "An id is empty, too long or has characters that are not allowed.",
  },
  RUN_NOT_ACTIVE: { httpStatus: 400, retryable: false, when: "A decision or cancellation is for a run that is done." },
  AGENT_NOT_FOUND: { httpStatus: 404, retryable: false, when: "No agent has this id." },
  THREAD_NOT_FOUND: { httpStatus: 404, retryable: false, when: "No thread has this id." },
  RUN_NOT_FOUND: { httpStatus: 404, retryable: false, when: "No run has this id." },
  CALL_NOT_FOUND: { httpStatus: 404, retryable: false, when: "No tool call of the run has this id." },
  TOOL_NOT_FOUND: { httpStatus: 404, retryable: false, when: "The agent has no tool with this id." },
  ENTRY_NOT_FOUND: { httpStatus: 404, retryable: false, when: "No mailbox entry has this id." },
  BUDGET_NOT_FOUND: { httpStatus: 404, retryable: false, when: "A run has no budget." },
  BLOB_NOT_FOUND: { httpStatus: 404, retryable: false, when: "No blob has this hash." },
  BLOB_QUOTA_EXCEEDED: {
    httpStatus: 413,
    retryable: false,
    when: "A new blob would give a tenant more bytes of blobs than it may have.",
  },
  BLOB_TOO_LARGE: { httpStatus: 413, retryable: false, when: "A blob has more bytes than whoever took it allows." },
  ADDRESS_REFUSED: {
    httpStatus: 422,
    retryable: false,
    when: "An address that was given by others leads into a private network, or what lies there is too large.",
  },
  CONFIG_NOT_FOUND: { httpStatus: 404, retryable: false, when: "The configuration has no such entry." },
  VERSION_NOT_FOUND: { httpStatus: 404, retryable: false, when: "A thread has no such version, or not yet." },
  THREAD_EXISTS: { httpStatus: 409, retryable: false, when: "A thread is created under an id that is taken." },
  RUN_EXISTS: {
    httpStatus: 409,
    retryable: false,
    when: "A run id or dedupe key was used for another request.",
  },
  THREAD_BUSY: { httpStatus: 409, retryable: true, when: "A run was refused because the thread has an open one." },
  VERSION_CONFLICT: { httpStatus: 409, retryable: true, when: "A commit expected another version of its thread." },
  REVISION_CONFLICT: {
    httpStatus: 409,
    retryable: false,
    when: "A change of the configuration expected another revision of what it changes.",
  },
  STALE_EPOCH: { httpStatus: 409, retryable: false, when: "A write came from an owner whose claim was taken over." },
  ILLEGAL_TRANSITION: { httpStatus: 409, retryable: false, when: "A lifecycle has no such step." },
  NOT_SUSPENDED: { httpStatus: 409, retryable: true, when: "A decision is for a call that does not wait for one." },
  DECISION_CONFLICT: {
    httpStatus: 409,
    retryable: false,
    when: "Another decision for the same suspension came first.",
  },
  BINDING_MISMATCH: {
    httpStatus: 409,
    retryable: false,
    when: "A decision was made about other arguments or another tool.",
  },
  RUN_NOT_DONE: {
    httpStatus: 409,
    retryable: true,
    when: "Something is asked of a run that is only known once it is done.",
  },
  REPLAY_IMPOSSIBLE: {
    httpStatus: 422,
    retryable: false,
    when: "A run cannot be replayed: a newer version recorded it, a part of it is missing, or the value is no recording.",
  },
  VERSION_GONE: { httpStatus: 410, retryable: false, when: "A version was pruned." },
  MODEL_NOT_FOUND: { httpStatus: 422, retryable: false, when: "No model has this id." },
  PROVIDER_NOT_FOUND: { httpStatus: 422, retryable: false, when: "A model names a provider that is not registered." },
  PROVIDER_NOT_READY: {
    httpStatus: 422,
    retryable: false,
    when: "A model's provider lacks its package, its key or its address.",
  },
  PLUGIN_NOT_FOUND: { httpStatus: 422, retryable: false, when: "An agent names a plugin that is not registered." },
  STOP_POLICY_NOT_FOUND: {
    httpStatus: 422,
    retryable: false,
    when: "An agent names a stop policy that is not registered.",
  },
  INVALID_PLUGIN_CONFIG: {
    httpStatus: 422,
    retryable: false,
    when: "A section of an agent does not fit the schema of the plugin it belongs to.",
  },
  INVALID_AGENT_SPEC: { httpStatus: 422, retryable: false, when: "An agent spec is not well formed." },
  REMOTE_AGENT_NOT_DIRECTLY_RUNNABLE: {
    httpStatus: 422,
    retryable: false,
    when: "An agent that runs elsewhere was to be resolved as a local one.",
  },
  UNSUPPORTED_REMOTE_BACKEND: {
    httpStatus: 422,
    retryable: false,
    when: "No registered backend speaks to an agent's endpoint.",
  },
  BACKEND_FAILED: {
    httpStatus: 502,
    retryable: true,
    when: "A backend failed, or answered with something that is not an outcome of a run.",
  },
  INVALID_REMOTE_ENDPOINT: { httpStatus: 422, retryable: false, when: "An agent's endpoint cannot be used." },
  PLUGIN_CONFLICT: {
    httpStatus: 422,
    retryable: false,
    when: "Plugins of one agent claim the same state, section, action or effect.",
  },
  REGISTRY_CONFLICT: { httpStatus: 422, retryable: false, when: "Two things of one kind have the same id." },
  BUILD_FAILED: { httpStatus: 422, retryable: false, when: "A runtime was given things that cannot be registered." },
  VALIDATION_FAILED: { httpStatus: 422, retryable: false, when: "Agents of a runtime cannot be resolved." },
  CONFIG_INVALID: { httpStatus: 422, retryable: false, when: "A configuration has problems; its details list them." },
  DISCOVERY_FAILED: { httpStatus: 502, retryable: true, when: "Remote agents could not be discovered." },
  INVALID_ARGUMENTS: {
    httpStatus: 422,
    retryable: false,
    when: "Arguments were edited to something the tool does not take; the question stays open.",
  },
  INVALID_ACTION: {
    httpStatus: 422,
    retryable: false,
    when: "A plugin returned an action its phase does not take, or one that names what it did not declare.",
  },
  INVALID_DEFINITION: { httpStatus: 422, retryable: false, when: "A tool, agent or state is not well defined." },
  TOOL_ID_CONFLICT: { httpStatus: 422, retryable: false, when: "Two tools of an agent have the same id." },
  PATCH_CONFLICT: { httpStatus: 409, retryable: false, when: "Two calls of one round changed the same state." },
  PLUGIN_FAILED: { httpStatus: 500, retryable: false, when: "A plugin or a stop policy threw, or took too long." },
  BUDGET_EXCEEDED: {
    httpStatus: 402,
    retryable: false,
    when: "The next model call of a run could cost more than its budget has left.",
  },
  MODEL_UNPRICED: {
    httpStatus: 422,
    retryable: false,
    when: "A run with a limit in money was to ask a model whose price nobody knows.",
  },
  CONTEXT_WINDOW_EXCEEDED: {
    httpStatus: 413,
    retryable: false,
    when: "A request does not fit into its model's window, whatever is left out. Nothing was sent.",
  },
  MODEL_RATE_LIMITED: { httpStatus: 429, retryable: true, when: "A model's provider was asked too often." },
  MODEL_OVERLOADED: { httpStatus: 503, retryable: true, when: "A model's provider has too much to do." },
  MODEL_TIMEOUT: { httpStatus: 504, retryable: true, when: "A model said nothing for too long." },
  MODEL_UNREACHABLE: { httpStatus: 502, retryable: true, when: "A model's provider could not be reached." },
  MODEL_INTERRUPTED: { httpStatus: 502, retryable: true, when: "A model's answer broke off, and could not be mended." },
  MODEL_SERVER_ERROR: { httpStatus: 502, retryable: true, when: "A model's provider failed." },
  MODEL_MALFORMED_RESPONSE: { httpStatus: 502, retryable: true, when: "A model's answer could not be read." },
  MODEL_ANSWER_TOO_LARGE: { httpStatus: 502, retryable: false, when: "A model's answer is larger than is read." },
  MODEL_AUTH: { httpStatus: 502, retryable: false, when: "A model's provider refused the key it was given." },
  MODEL_QUOTA_EXCEEDED: { httpStatus: 503, retryable: false, when: "The account at a model's provider has run out." },
  MODEL_INVALID_REQUEST: { httpStatus: 502, retryable: false, when: "A model's provider refused the request." },
  MODEL_CONTEXT_OVERFLOW: {
    httpStatus: 413,
    retryable: false,
    when: "A model's provider found the request too long for its window.",
  },
  MODEL_CONTENT_FILTERED: {
    httpStatus: 422,
    retryable: false,
    when: "A model's provider refused what was said, or what the model was about to say.",
  },
  MODEL_FAILED: { httpStatus: 502, retryable: true, when: "A model failed in a way no other code names." },
  STORE_UNAVAILABLE: { httpStatus: 503, retryable: true, when: "A store cannot be reached." },
  STORE_REPLACED: {
    httpStatus: 503,
    retryable: false,
    when: "The files of a store were deleted or replaced while it was open. Nothing is written until it is opened again.",
  },
  STORAGE_FULL: {
    httpStatus: 507,
    retryable: true,
    when: "A store has no space left. Nothing was written; reading goes on.",
  },
  STORE_OWNED: {
    httpStatus: 409,
    retryable: true,
    when: "Another process does what only one may: it owns the store, or runs under the same instance id.",
  },
  FORMAT_TOO_NEW: {
    httpStatus: 500,
    retryable: false,
    when: "Stored data was written by a newer version than this one.",
  },
  RUNTIME_CLOSED: { httpStatus: 503, retryable: true, when: "The runtime is closing and takes no more work." },
  CORRUPT_DATA: { httpStatus: 500, retryable: false, when: "Stored or received data does not have its format." },
  INTERNAL: { httpStatus: 500, retryable: false, when: "A promise the runtime makes to itself was broken." },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** What a code means. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return ERRORS[code];
}
