/** The versions of the GenAI semantic conventions that can be emitted. */
export const CONVENTIONS = ["latest", "1.36"] as const;

/** `latest` is the current draft of OpenTelemetry's GenAI conventions; `1.36` is the last version before its names changed. */
export type Conventions = (typeof CONVENTIONS)[number];

/** A name in each version. A version without one does not emit it. */
export type VersionedName = { readonly [Version in Conventions]: string | undefined };

export type SpanKey = "run" | "inference" | "attempt" | "tool" | "suspension";

interface SpanRow {
  readonly name: string;
  readonly kind: "INTERNAL" | "CLIENT";
  readonly operation?: string;
  readonly says: string;
}

interface AttributeRow extends VersionedName {
  readonly on: readonly SpanKey[];
  readonly says: string;
}

interface MetricRow extends VersionedName {
  readonly instrument: "histogram" | "counter";
  readonly unit: string;
  readonly buckets?: readonly number[];
  readonly attributes: readonly AttributeKey[];
  readonly says: string;
}

export const SPANS: Readonly<Record<SpanKey, SpanRow>> = {
  run: {
    name: "invoke_agent {agent}",
    kind: "INTERNAL",
    operation: "invoke_agent",
    says: "One activation of a run, from its begin to its end or until it waits.",
  },
  inference: {
    name: "chat {model}",
    kind: "CLIENT",
    operation: "chat",
    says: "One turn of a model, with its retries.",
  },
  attempt: {
    name: "chat {model}",
    kind: "CLIENT",
    operation: "chat",
    says: "A failed attempt of a turn that took several; below the turn.",
  },
  tool: {
    name: "execute_tool {tool}",
    kind: "INTERNAL",
    operation: "execute_tool",
    says: "One tool call. A call that is suspended ends its span; the span of its next execution links to it.",
  },
  suspension: {
    name: "suspend_tool {tool}",
    kind: "INTERNAL",
    says: "The time between the suspension of a call and its decision.",
  },
};

function attribute(on: string, names: string | VersionedName, says: string): AttributeRow {
  const versions = typeof names === "string" ? { latest: names, "1.36": names } : names;
  return { ...versions, on: on.split(" ") as SpanKey[], says };
}

const ALL = "run inference attempt tool suspension";
const MODEL = "inference attempt";

/** The attributes of spans, as the code names them. */
export type SpanAttribute =
  | "operation"
  | "agentName"
  | "conversation"
  | "provider"
  | "requestModel"
  | "temperature"
  | "topP"
  | "maxTokens"
  | "stopSequences"
  | "seed"
  | "responseModel"
  | "finishReasons"
  | "firstChunk"
  | "inputTokens"
  | "outputTokens"
  | "cacheReadTokens"
  | "cacheCreationTokens"
  | "reasoningTokens"
  | "toolName"
  | "toolCallId"
  | "toolType"
  | "toolDescription"
  | "errorType"
  | "systemInstructions"
  | "inputMessages"
  | "outputMessages"
  | "toolDefinitions"
  | "toolArguments"
  | "toolResult"
  | "runId"
  | "parentRunId"
  | "stepId"
  | "tenant"
  | "activation"
  | "termination"
  | "toolOutcome"
  | "isExecuted"
  | "attempt"
  | "cost"
  | "question"
  | "decision";

/** The same with the one that only metrics have. */
export type AttributeKey = SpanAttribute | "tokenType";

/** Every attribute of a span in each version. */
export const ATTRIBUTES: Readonly<Record<SpanAttribute, AttributeRow>> = {
  operation: attribute(
    "run inference attempt tool",
    "gen_ai.operation.name",
    "`invoke_agent`, `chat` or `execute_tool`",
  ),
  agentName: attribute(ALL, "gen_ai.agent.name", "the id of the agent"),
  conversation: attribute(ALL, "gen_ai.conversation.id", "the id of the thread"),
  provider: attribute(
    MODEL,
    { latest: "gen_ai.provider.name", "1.36": "gen_ai.system" },
    "who serves the model, in the words of the conventions where they have one",
  ),
  requestModel: attribute(MODEL, "gen_ai.request.model", "the model that was asked"),
  temperature: attribute("inference", "gen_ai.request.temperature", "as in the request"),
  topP: attribute("inference", "gen_ai.request.top_p", "as in the request"),
  maxTokens: attribute("inference", "gen_ai.request.max_tokens", "as in the request"),
  stopSequences: attribute("inference", "gen_ai.request.stop_sequences", "as in the request"),
  seed: attribute("inference", "gen_ai.request.seed", "as in the request"),
  responseModel: attribute("inference", "gen_ai.response.model", "the model that answered"),
  finishReasons: attribute("inference", "gen_ai.response.finish_reasons", "why the model ended its turn"),
  firstChunk: attribute(
    "inference",
    { latest: "gen_ai.response.time_to_first_chunk", "1.36": undefined },
    "seconds until the first piece of the answer",
  ),
  inputTokens: attribute(MODEL, "gen_ai.usage.input_tokens", "tokens read"),
  outputTokens: attribute(MODEL, "gen_ai.usage.output_tokens", "tokens written"),
  cacheReadTokens: attribute(
    "inference",
    { latest: "gen_ai.usage.cache_read.input_tokens", "1.36": undefined },
    "tokens read from a prompt cache",
  ),
  cacheCreationTokens: attribute(
    "inference",
    { latest: "gen_ai.usage.cache_creation.input_tokens", "1.36": undefined },
    "tokens written to a prompt cache",
  ),
  reasoningTokens: attribute(
    "inference",
    { latest: "gen_ai.usage.reasoning.output_tokens", "1.36": undefined },
    "tokens of reasoning",
  ),
  toolName: attribute("tool suspension", "gen_ai.tool.name", "the id of the tool"),
  toolCallId: attribute("tool suspension", "gen_ai.tool.call.id", "the id of the call"),
  toolType: attribute("tool", "gen_ai.tool.type", "`function`"),
  toolDescription: attribute("tool", "gen_ai.tool.description", "the description of the tool"),
  errorType: attribute("run inference attempt tool", "error.type", "why it failed; the span's status is `ERROR` then"),
  systemInstructions: attribute(
    "inference",
    { latest: "gen_ai.system_instructions", "1.36": undefined },
    "content: the system text",
  ),
  inputMessages: attribute(
    "inference",
    { latest: "gen_ai.input.messages", "1.36": "gen_ai.prompt" },
    "content: the messages of the request",
  ),
  outputMessages: attribute(
    "inference",
    { latest: "gen_ai.output.messages", "1.36": "gen_ai.completion" },
    "content: the answer",
  ),
  toolDefinitions: attribute(
    "inference",
    { latest: "gen_ai.tool.definitions", "1.36": undefined },
    "content: the tools that the model was told about",
  ),
  toolArguments: attribute(
    "tool",
    { latest: "gen_ai.tool.call.arguments", "1.36": undefined },
    "content: the arguments of the call",
  ),
  toolResult: attribute("tool", { latest: "gen_ai.tool.call.result", "1.36": undefined }, "content: the result"),
  runId: attribute(ALL, "reprise.run.id", "the id of the run"),
  parentRunId: attribute("run", "reprise.parent_run.id", "the run that this one works for"),
  stepId: attribute("inference attempt tool", "reprise.step.id", "the id of the step"),
  tenant: attribute("run", "reprise.tenant", "whose run it is"),
  activation: attribute("run", "reprise.activation", "`start`, `resume`, `recover` or `handoff`"),
  termination: attribute("run", "reprise.termination", "why the activation ended, as in the run's record"),
  toolOutcome: attribute("tool", "reprise.tool.outcome", "`succeeded`, `failed`, `suspended` or `cancelled`"),
  isExecuted: attribute("tool", "reprise.tool.executed", "false for a call that was answered without its tool"),
  attempt: attribute("attempt", "reprise.attempt", "the number of the attempt"),
  cost: attribute(MODEL, "reprise.cost.usd", "what it cost, in dollars, where the price is known"),
  question: attribute("suspension", "reprise.suspension.action", "what the suspension asks for"),
  decision: attribute("suspension", "reprise.suspension.decision", "what was decided"),
};

const TOKEN_TYPE = "gen_ai.token.type";

const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

function metric(
  names: string | VersionedName,
  row: Omit<MetricRow, keyof VersionedName | "instrument"> & Partial<Pick<MetricRow, "instrument">>,
): MetricRow {
  const versions = typeof names === "string" ? { latest: names, "1.36": names } : names;
  return { instrument: "histogram", ...versions, ...row };
}

export type MetricKey =
  | "inferenceDuration"
  | "firstChunk"
  | "tokens"
  | "cost"
  | "toolDuration"
  | "runDuration"
  | "suspension";

export const METRICS: Readonly<Record<MetricKey, MetricRow>> = {
  inferenceDuration: metric("gen_ai.client.operation.duration", {
    unit: "s",
    buckets: SECONDS,
    attributes: ["operation", "provider", "requestModel", "responseModel", "agentName", "errorType"],
    says: "how long a turn of a model took",
  }),
  firstChunk: metric(
    { latest: "gen_ai.client.operation.time_to_first_chunk", "1.36": undefined },
    {
      unit: "s",
      buckets: SECONDS,
      attributes: ["operation", "provider", "requestModel", "responseModel", "agentName"],
      says: "how long the first piece of an answer took",
    },
  ),
  tokens: metric("gen_ai.client.token.usage", {
    unit: "{token}",
    buckets: TOKENS,
    attributes: ["operation", "provider", "requestModel", "responseModel", "agentName", "tokenType"],
    says: "tokens of a turn, read (`input`) and written (`output`)",
  }),
  cost: metric("reprise.inference.cost", {
    instrument: "counter",
    unit: "USD",
    attributes: ["provider", "requestModel", "agentName"],
    says: "what model calls cost, failed attempts included",
  }),
  toolDuration: metric(
    { latest: "gen_ai.execute_tool.duration", "1.36": "reprise.execute_tool.duration" },
    {
      unit: "s",
      buckets: SECONDS,
      attributes: ["toolName", "agentName", "toolOutcome", "errorType"],
      says: "how long an executed tool took",
    },
  ),
  runDuration: metric(
    { latest: "gen_ai.invoke_agent.duration", "1.36": "reprise.invoke_agent.duration" },
    {
      unit: "s",
      buckets: SECONDS,
      attributes: ["agentName", "termination", "errorType"],
      says: "how long an activation of a run took",
    },
  ),
  suspension: metric("reprise.suspension.duration", {
    unit: "s",
    buckets: [1, 10, 60, 600, 3_600, 14_400, 86_400, 604_800],
    attributes: ["toolName", "agentName", "decision"],
    says: "how long a suspended call waited for its decision",
  }),
};

/** The names of all attributes in a version; undefined where the version has none. */
export const ATTRIBUTE_NAMES: Readonly<Record<Conventions, Readonly<Record<AttributeKey, string | undefined>>>> = {
  latest: namesIn("latest"),
  "1.36": namesIn("1.36"),
};

function namesIn(version: Conventions): Readonly<Record<AttributeKey, string | undefined>> {
  const names = Object.entries(ATTRIBUTES).map(([key, row]) => [key, row[version]]);
  // Every key of the table, which `fromEntries` forgets.
  return Object.fromEntries([...names, ["tokenType", TOKEN_TYPE]]) as Readonly<
    Record<AttributeKey, string | undefined>
  >;
}

/** The name of a span about something. */
export function spanName(key: SpanKey, subject: string): string {
  const { name } = SPANS[key];
  return `${name.slice(0, name.indexOf("{"))}${subject}`;
}

/** Providers whose id here differs from their name in the conventions. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
};

export function providerName(id: string): string {
  return Object.hasOwn(PROVIDERS, id) ? (PROVIDERS[id] ?? id) : id;
}

/** A model's own name: ids of models have that of their provider in front. */
export function modelName(id: string, provider: string | undefined): string {
  return provider !== undefined && id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id;
}
