/** The meaning of an error code for callers. */
export interface ErrorEntry {
  /** The status a server answers with. */
  readonly httpStatus: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The cause. */
  readonly when: string;
  /** The steps that solve the problem. */
  readonly remedy: string;
}

/** Every error the runtime can raise. Servers map `httpStatus`; callers branch on the code. */
export const ERRORS = {
  INVALID_REQUEST: {
    httpStatus: 400,
    retryable: false,
    when: "A request has the wrong shape, or combines options that exclude each other.",
    remedy: "Correct the field that the message names. The same request will fail again.",
  },
  INVALID_ID: {
    httpStatus: 400,
    retryable: false,
    when: "An id is empty, too long, or has characters that are not allowed.",
    remedy: "Use 1 to 256 characters without control characters.",
  },
  RUN_NOT_ACTIVE: {
    httpStatus: 400,
    retryable: false,
    when: "A decision, message or cancellation names a run that is done.",
    remedy: "Start a new run on the thread. `GET /v1/runs/:id` says how the run ended.",
  },
  AGENT_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "No agent of this runtime has the id.",
    remedy:
      "Check the spelling against the ids in the message, or add the agent to `createRuntime({ agents })` or to the configuration.",
  },
  THREAD_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "No thread of this tenant has the id.",
    remedy: "Check the id and the tenant of the API key. A thread exists from its first run on.",
  },
  RUN_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "No run of this tenant has the id.",
    remedy: "Check the id and the tenant of the API key.",
  },
  CALL_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "No tool call of the run has the id.",
    remedy: "List the open decisions and use an id from there.",
  },
  TOOL_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "The agent has no tool with the id.",
    remedy: "Check the spelling, and `allowedTools` and `excludedTools` of the agent.",
  },
  ENTRY_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "No mailbox entry has the id.",
    remedy: "List the mailbox. An entry that was processed long ago may have been pruned.",
  },
  BUDGET_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "The run has no budget.",
    remedy: "Give the agent or the request a `budget` before the run starts.",
  },
  BLOB_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "No blob of this tenant has the hash, or it was collected because nothing referred to it.",
    remedy: "Upload it again, and refer to it from a message.",
  },
  BLOB_QUOTA_EXCEEDED: {
    httpStatus: 413,
    retryable: false,
    when: "The upload would exceed the tenant's blob quota.",
    remedy: "Delete threads that are no longer needed, or raise `limits.tenantBlobBytes`.",
  },
  BLOB_TOO_LARGE: {
    httpStatus: 413,
    retryable: false,
    when: "The blob is larger than the server or the caller accepts.",
    remedy: "Send a smaller file, or raise the limit that the message names.",
  },
  ADDRESS_REFUSED: {
    httpStatus: 422,
    retryable: false,
    when: "An address from outside points into a private network, or its content is too large.",
    remedy: "Use a public address. To allow a private host, name it in the egress configuration.",
  },
  MCP_SERVER_REFUSED: {
    httpStatus: 403,
    retryable: false,
    when: "An editor named an MCP server that the configuration does not let it bring.",
    remedy:
      "Remove the server from the editor's settings, or allow it with server.acp.mcp_servers in the configuration.",
  },
  CONFIG_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "The configuration has no such entry.",
    remedy: "List the entries of the configuration and use an id from there.",
  },
  VERSION_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "The thread has no such version yet.",
    remedy: "Use a version up to the one that the message names.",
  },
  THREAD_EXISTS: {
    httpStatus: 409,
    retryable: false,
    when: "A thread with this id exists already.",
    remedy: "Use another id, or continue the existing thread.",
  },
  RUN_EXISTS: {
    httpStatus: 409,
    retryable: false,
    when: "The run id or dedupe key was used for a different request.",
    remedy: "Use a new id. To repeat a request safely, send exactly the same request with the same id.",
  },
  THREAD_BUSY: {
    httpStatus: 409,
    retryable: true,
    when: "The thread has an open run, and the request asked not to wait for it.",
    remedy: "Wait until the run ends, or choose another `busyPolicy`: `enqueue`, `interrupt` or `steer`.",
  },
  VERSION_CONFLICT: {
    httpStatus: 409,
    retryable: true,
    when: "A commit expected another version of its thread: another writer was first.",
    remedy: "The runtime retries by itself. A store author: return the current version.",
  },
  REVISION_CONFLICT: {
    httpStatus: 409,
    retryable: false,
    when: "The configuration entry was changed since it was read.",
    remedy: "Read the entry again, apply the change to it, and send its new revision.",
  },
  STALE_EPOCH: {
    httpStatus: 409,
    retryable: false,
    when: "The writer's claim was taken over by another process.",
    remedy:
      "Nothing to do: the new owner continues the run. Frequent takeovers mean that the process is blocked for longer than `limits.leaseMs`.",
  },
  ILLEGAL_TRANSITION: {
    httpStatus: 409,
    retryable: false,
    when: "The run, call or entry is in a status that does not allow this.",
    remedy: "Read its current status first. The lifecycles page lists what each status allows.",
  },
  NOT_SUSPENDED: {
    httpStatus: 409,
    retryable: true,
    when: "The tool call does not wait for a decision.",
    remedy: "List the open decisions. To decide before the call is suspended, send its binding hash.",
  },
  DECISION_CONFLICT: {
    httpStatus: 409,
    retryable: false,
    when: "Another decision about the same suspension came first.",
    remedy: "Read the decision in `details`; it is final.",
  },
  BINDING_MISMATCH: {
    httpStatus: 409,
    retryable: false,
    when: "The decision was made about other arguments, or about another version of the tool.",
    remedy: "Show the call as it is now, and let the person decide again.",
  },
  RUN_NOT_DONE: {
    httpStatus: 409,
    retryable: true,
    when: "The operation needs a run that is done.",
    remedy: "Wait for the run's end, then try again.",
  },
  RUN_CANCELLED: {
    httpStatus: 409,
    retryable: false,
    when: "The text of a run was awaited, and the run was cancelled.",
    remedy: "Start another run, or use outcome(), which tells a cancelled run from the others.",
  },
  REPLAY_IMPOSSIBLE: {
    httpStatus: 422,
    retryable: false,
    when: "The recording was made by a newer version, is incomplete, or is not a recording.",
    remedy: "Replay with the version that the message names, or export the run again.",
  },
  EVAL_CASE_INVALID: {
    httpStatus: 422,
    retryable: false,
    when: "A case of an evaluation, its expectations or a baseline is not valid, or a run cannot be saved as a case.",
    remedy: "Correct what the message names. `reprise eval save <run>` makes a valid case.",
  },
  EVAL_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "No experiment of this tenant has the id.",
    remedy: "List the experiments and use an id from there. `reprise eval --keep` keeps one in the store.",
  },
  EVAL_NOT_PLAYABLE: {
    httpStatus: 422,
    retryable: false,
    when: "The recorded run of a case cannot be played to another agent.",
    remedy: "Evaluate the case with `--mode verify`, or save a run of one of the agents that took part.",
  },
  VERSION_GONE: {
    httpStatus: 410,
    retryable: false,
    when: "The version was pruned.",
    remedy: "Use a version from the one that the message names on. To keep more history, change the retention.",
  },
  MODEL_NOT_FOUND: {
    httpStatus: 422,
    retryable: false,
    when: "No model has the id.",
    remedy: "Use `provider/model`, or register the model. The message lists similar ids.",
  },
  PROVIDER_NOT_FOUND: {
    httpStatus: 422,
    retryable: false,
    when: "The model names a provider that is not registered.",
    remedy: "Check the spelling, or add the provider to the configuration.",
  },
  PROVIDER_NOT_READY: {
    httpStatus: 422,
    retryable: false,
    when: "The provider's package, key or address is missing.",
    remedy: "Install the package and set the variable that the message names.",
  },
  PLUGIN_NOT_FOUND: {
    httpStatus: 422,
    retryable: false,
    when: "The agent names a plugin that is not registered.",
    remedy: "Pass the plugin in `plugins` of the agent or of the runtime.",
  },
  STOP_POLICY_NOT_FOUND: {
    httpStatus: 422,
    retryable: false,
    when: "The agent names a stop policy that is not registered.",
    remedy: "Pass the policy in `stopWhen`, or register it under this id.",
  },
  INVALID_PLUGIN_CONFIG: {
    httpStatus: 422,
    retryable: false,
    when: "A section of the agent does not match its plugin's schema.",
    remedy: "Correct the field that the message names.",
  },
  INVALID_AGENT_SPEC: {
    httpStatus: 422,
    retryable: false,
    when: "The agent spec is not valid.",
    remedy: "Correct the fields that the message lists.",
  },
  REMOTE_AGENT_NOT_DIRECTLY_RUNNABLE: {
    httpStatus: 422,
    retryable: false,
    when: "An agent with an endpoint was resolved as a local agent.",
    remedy: "Start a run of it instead: its backend executes it.",
  },
  PROGRAM_NOT_FOUND: {
    httpStatus: 422,
    retryable: false,
    when: "No registered program runs agents of this kind, such as workflows.",
    remedy: "Give the program to `createRuntime({ programs })`.",
  },
  INVALID_PROGRAM: {
    httpStatus: 422,
    retryable: false,
    when: "The definition of an agent that is run by a program, such as a workflow, cannot be run.",
    remedy: "Correct what the message names. `reprise workflow validate` lists every problem of a workflow.",
  },
  UNSUPPORTED_REMOTE_BACKEND: {
    httpStatus: 422,
    retryable: false,
    when: "No registered backend supports the agent's endpoint.",
    remedy: "Register the backend that the message names.",
  },
  BACKEND_FAILED: {
    httpStatus: 502,
    retryable: true,
    when: "The remote backend failed, or its outcome is not valid.",
    remedy: "Look at the backend's own log. The run can be started again.",
  },
  INVALID_REMOTE_ENDPOINT: {
    httpStatus: 422,
    retryable: false,
    when: "The agent's endpoint is not valid for its backend.",
    remedy: "Correct the endpoint as the message says.",
  },
  PLUGIN_CONFLICT: {
    httpStatus: 422,
    retryable: false,
    when: "Two plugins of the agent claim the same state, section, action or effect.",
    remedy: "Remove one of them, or give one another key.",
  },
  REGISTRY_CONFLICT: {
    httpStatus: 422,
    retryable: false,
    when: "Two things of the same kind have the same id.",
    remedy: "Rename one of them.",
  },
  BUILD_FAILED: {
    httpStatus: 422,
    retryable: false,
    when: "The runtime was given things that cannot be registered.",
    remedy: "Correct each problem that the message lists.",
  },
  VALIDATION_FAILED: {
    httpStatus: 422,
    retryable: false,
    when: "Some agents of the runtime cannot be resolved.",
    remedy: "Correct each problem that the message lists.",
  },
  CONFIG_INVALID: {
    httpStatus: 422,
    retryable: false,
    when: "The configuration is not valid.",
    remedy: "Correct each problem in `details`; each has the path of its field.",
  },
  WORKFLOW_INVALID: {
    httpStatus: 422,
    retryable: false,
    when: "The workflow document or agent file is not valid.",
    remedy: "Correct each problem in `details`; each has its path, and its line and column when it came from a file.",
  },
  WORKFLOW_INVALID_GRAPH: {
    httpStatus: 422,
    retryable: false,
    when: "The graph of the workflow cannot be ordered: a cycle, an edge or a reference to a node that does not exist, or a wrong handle.",
    remedy: "Correct each problem in `details`; each has its kind and its path.",
  },
  WORKFLOW_NOT_FOUND: {
    httpStatus: 404,
    retryable: false,
    when: "No workflow of this runtime has the id.",
    remedy: "Check the id against `GET /v1/workflows`, or add the workflow to the configuration.",
  },
  WEBHOOK_REFUSED: {
    httpStatus: 401,
    retryable: false,
    when: "A webhook is not signed by the workflow's secret, or its timestamp is too old.",
    remedy:
      "Sign the timestamp and the body as the guide to triggers says, with the secret of the workflow, and send it within five minutes.",
  },
  WORKFLOW_INPUTS_INVALID: {
    httpStatus: 400,
    retryable: false,
    when: "The inputs of a workflow run do not fit their definitions.",
    remedy: "Correct each input that the message names.",
  },
  DISCOVERY_FAILED: {
    httpStatus: 502,
    retryable: true,
    when: "Remote agents could not be discovered.",
    remedy: "Check that the addresses in the message answer, then try again.",
  },
  INVALID_ARGUMENTS: {
    httpStatus: 422,
    retryable: false,
    when: "The edited arguments do not match the tool's schema. The question stays open.",
    remedy: "Correct the arguments, or approve the call as it was.",
  },
  INVALID_ACTION: {
    httpStatus: 422,
    retryable: false,
    when: "A plugin returned an action that its phase does not accept, or that names an undeclared key.",
    remedy: "Return one of the actions that the message lists, and declare the key in the plugin.",
  },
  INVALID_DEFINITION: {
    httpStatus: 422,
    retryable: false,
    when: "A tool, agent, plugin or state is not defined correctly.",
    remedy: "Correct the definition as the message says.",
  },
  TOOL_ID_CONFLICT: {
    httpStatus: 422,
    retryable: false,
    when: "Two tools of the agent have the same id.",
    remedy: "Rename one of them, or exclude it.",
  },
  PATCH_CONFLICT: {
    httpStatus: 409,
    retryable: false,
    when: "Two parallel tool calls changed the same state.",
    remedy: "Give the state a merging field (a lattice), or make one of the tools run alone.",
  },
  PLUGIN_FAILED: {
    httpStatus: 500,
    retryable: false,
    when: "A plugin or stop policy threw an error, or took too long.",
    remedy: "Correct the plugin. Its error is in the log with the run id.",
  },
  BUDGET_EXCEEDED: {
    httpStatus: 402,
    retryable: false,
    when: "The next model call could cost more than the budget has left.",
    remedy: 'Raise the budget, or set `onExceeded: "pause"` to be asked instead.',
  },
  HANDOFF_REFUSED: {
    httpStatus: 409,
    retryable: false,
    when: "A plugin hands a run to another agent too often, or back and forth.",
    remedy:
      "Return `handOff` under a condition that ends, or raise `maxHandoffs`. The message has the path of the run.",
  },
  STEP_FAILED: {
    httpStatus: 500,
    retryable: false,
    when: "An agent that a composed agent is made of failed or was stopped.",
    remedy: 'Look at the run of the step (`parentRunId`). `on_failure: "collect"` lets a parallel agent continue.',
  },
  COMPOSITION_CYCLE: {
    httpStatus: 422,
    retryable: false,
    when: "A composed agent is a part of itself, directly or over other composed agents.",
    remedy: "Take one of the agents in the message out of the `compose` of another.",
  },
  DELEGATION_LIMIT: {
    httpStatus: 409,
    retryable: false,
    when: "A tool call would start a run below a tree of runs that is too deep or too large.",
    remedy: "Raise `limits.delegation` of the runtime, or have fewer agents call each other.",
  },
  MODEL_UNPRICED: {
    httpStatus: 422,
    retryable: false,
    when: "The run has a limit in money, and the price of its model is unknown.",
    remedy: 'Give the model a price, or set `unpriced: "warn"` on the budget.',
  },
  CONTEXT_WINDOW_EXCEEDED: {
    httpStatus: 413,
    retryable: false,
    when: "The request does not fit the model's context window, even when truncated. Nothing was sent.",
    remedy: "Shorten the prompt or the tool descriptions, or choose a model with a larger window.",
  },
  MODEL_RATE_LIMITED: {
    httpStatus: 429,
    retryable: true,
    when: "The provider limited the rate of requests.",
    remedy:
      "The run waits and retries by itself within its patience. Add fallback models, or ask the provider for a higher limit.",
  },
  MODEL_OVERLOADED: {
    httpStatus: 503,
    retryable: true,
    when: "The provider is overloaded.",
    remedy: "The run waits and retries by itself within its patience. Add fallback models.",
  },
  MODEL_TIMEOUT: {
    httpStatus: 504,
    retryable: true,
    when: "The model sent nothing for longer than the idle timeout.",
    remedy: "Raise `limits.modelIdleTimeoutMs`, or choose a faster model.",
  },
  MODEL_UNREACHABLE: {
    httpStatus: 502,
    retryable: true,
    when: "The provider could not be reached.",
    remedy: "Check the network and the provider's address.",
  },
  MODEL_INTERRUPTED: {
    httpStatus: 502,
    retryable: true,
    when: "The model's answer broke off, and retries did not help.",
    remedy: "Start the run again. Add fallback models.",
  },
  MODEL_SERVER_ERROR: {
    httpStatus: 502,
    retryable: true,
    when: "The provider answered with a server error.",
    remedy: "Start the run again. Add fallback models.",
  },
  MODEL_MALFORMED_RESPONSE: {
    httpStatus: 502,
    retryable: true,
    when: "The model's answer could not be parsed.",
    remedy: "Check that the endpoint speaks the protocol that the configuration names.",
  },
  MODEL_ANSWER_TOO_LARGE: {
    httpStatus: 502,
    retryable: false,
    when: "The model's answer exceeds the size limit.",
    remedy: "Ask for a shorter answer, or set `max_tokens`.",
  },
  MODEL_AUTH: {
    httpStatus: 502,
    retryable: false,
    when: "The provider refused the API key.",
    remedy: "Check the key, and that it belongs to this provider and endpoint.",
  },
  MODEL_QUOTA_EXCEEDED: {
    httpStatus: 503,
    retryable: false,
    when: "The account at the provider has no credit left.",
    remedy: "Top up the account, or use another provider.",
  },
  MODEL_INVALID_REQUEST: {
    httpStatus: 502,
    retryable: false,
    when: "The provider refused the request as not valid.",
    remedy: "Read the provider's message; often an option or a tool schema is not supported by the model.",
  },
  MODEL_CONTEXT_OVERFLOW: {
    httpStatus: 413,
    retryable: false,
    when: "The provider found the request too long for the model.",
    remedy: "Set a context policy, so that the runtime truncates before it sends.",
  },
  MODEL_CONTENT_FILTERED: {
    httpStatus: 422,
    retryable: false,
    when: "The provider's content filter stopped the request or the answer.",
    remedy: "Change the input. Retrying the same text will fail again.",
  },
  MODEL_FAILED: {
    httpStatus: 502,
    retryable: true,
    when: "The model failed for a reason that no other code describes.",
    remedy: "Read the message and the log.",
  },
  STORE_UNAVAILABLE: {
    httpStatus: 503,
    retryable: true,
    when: "The store cannot be reached.",
    remedy: "Check the database. Runs continue by themselves when it answers again.",
  },
  STORE_REPLACED: {
    httpStatus: 503,
    retryable: false,
    when: "The store's files were deleted or replaced while it was open. Nothing is written until it is reopened.",
    remedy: "Restore the files, then restart the process.",
  },
  STORAGE_FULL: {
    httpStatus: 507,
    retryable: true,
    when: "The store has no space left. Nothing was written; reads still work.",
    remedy: "Free space. Runs continue by themselves.",
  },
  STORE_OWNED: {
    httpStatus: 409,
    retryable: true,
    when: "Another process holds what only one process may hold: the store, or the same instance id.",
    remedy: "Stop the other process, or give this one another `instanceId` or store.",
  },
  SCHEMA_OUTDATED: {
    httpStatus: 503,
    retryable: false,
    when: "The tables of the database are missing or older than this version needs, and this process may not change them.",
    remedy: "Run `reprise migrate` with a role that may change the schema, then start again.",
  },
  PARTITIONS_CHANGED: {
    httpStatus: 503,
    retryable: false,
    when: "The Postgres databases that a store is opened with are not those it was made of, in their number or their order.",
    remedy:
      "Name all databases of the store in the order in which it was made; `details.reason` says what differs. To grow, move databases to servers of their own.",
  },
  FORMAT_TOO_NEW: {
    httpStatus: 500,
    retryable: false,
    when: "The data was written by a newer version of Reprise or of a state definition.",
    remedy: "Upgrade this process.",
  },
  RUNTIME_CLOSED: {
    httpStatus: 503,
    retryable: true,
    when: "The runtime is closing and accepts no more work.",
    remedy: "Send the request to another process, or again after the restart.",
  },
  CORRUPT_DATA: {
    httpStatus: 500,
    retryable: false,
    when: "Stored or received data does not have its format.",
    remedy: "Restore from a backup. `reprise doctor` checks the store.",
  },
  INTERNAL: {
    httpStatus: 500,
    retryable: false,
    when: "The runtime broke one of its own invariants. This is a bug.",
    remedy: "Report it with the message and the run's export.",
  },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Looks up the entry of a code. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return ERRORS[code];
}
