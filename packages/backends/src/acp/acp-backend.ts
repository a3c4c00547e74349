import type {
  AgentSpec,
  BackendDecision,
  BackendOutcome,
  BackendQuestion,
  BackendRun,
  ExecutionBackend,
} from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";
import { AgentWork, type MadeDecision, type TurnStart } from "./agent-work.ts";
import type { AcpHarness } from "./harness-settings.ts";
import { keyOf } from "./questions.ts";

export interface AcpBackendOptions {
  /** The programs by the names that endpoints use: `acp:<name>`. Nothing else is ever started. */
  readonly agents: Readonly<Record<string, AcpHarness>>;
}

/** The question about a turn whose program was lost while it worked. */
const LOST = "lost-process";

/**
 * Runs agents that speak the Agent Client Protocol, such as coding agents, as programs on this machine. Their permission requests are
 * questions of the run, their tool calls and text are shown in its stream.
 */
export function acpBackend({ agents }: AcpBackendOptions): ExecutionBackend {
  const works = new Map<string, AgentWork>();
  const harnessOf = ({ endpoint }: AgentSpec): AcpHarness | undefined => {
    const name = /^acp:(.+)$/.exec(endpoint?.url ?? "")?.[1] ?? "";
    return Object.hasOwn(agents, name) ? agents[name] : undefined;
  };

  async function run(agent: AgentSpec, asked: BackendRun): Promise<BackendOutcome> {
    const harness = harnessOf(agent);
    if (harness === undefined) throw new Error(problemOf(agent));
    const live = works.get(asked.runId);
    if (live !== undefined) return live.continue(asked);
    const answer = asked.decisions.find(({ questionId }) => questionId === LOST);
    if (answer?.action === "cancel") return failed(answer);
    const note = await asked.notes.load("run");
    const start = readStart(asked, answer, note ?? (await asked.notes.load("thread")), note !== undefined);
    const isUnknown = isPlainObject(note) && note.status === "working";
    if (isUnknown && answer === undefined && harness.afterLoss !== "again") return askAboutLoss(start);
    const work = new AgentWork(harness, () => {
      if (works.get(asked.runId) === work) works.delete(asked.runId);
    });
    works.set(asked.runId, work);
    return work.begin(asked, start);
  }

  function problemOf({ endpoint }: AgentSpec): string {
    const known = Object.keys(agents).map((name) => `acp:${name}`);
    return `its url must be one of ${known.slice(0, 10).join(", ") || "none"} (got ${JSON.stringify(endpoint?.url)})`;
  }

  return {
    id: "acp",
    check: (agent) => (harnessOf(agent) === undefined ? problemOf(agent) : undefined),
    run,
    cancel: async (_, { runId }) => works.get(runId)?.cancel(),
    close: async () => {
      await Promise.all([...works.values()].map((work) => work.cancel()));
    },
  };
}

/** What is known of the turn from before its program was lost. */
function readStart(
  { decisions }: BackendRun,
  answer: BackendDecision | undefined,
  note: Json | undefined,
  isInterrupted: boolean,
): TurnStart {
  const told = isPlainObject(answer?.parameters) ? answer.parameters : {};
  const earlier = isPlainObject(told.decided) ? Object.entries(told.decided) : [];
  // Written by `askAboutLoss`.
  const decided = new Map(earlier as unknown as readonly (readonly [string, MadeDecision])[]);
  for (const { parameters, action, result } of decisions) {
    const key = keyOf(parameters);
    if (key !== undefined) decided.set(key, { action, ...(result !== undefined && { result }) });
  }
  const sessionId = isPlainObject(note) && typeof note.session_id === "string" ? note.session_id : undefined;
  return { sessionId, isInterrupted, decided };
}

/** The agent may have done anything, so a person says whether it is asked again. */
function askAboutLoss({ decided }: TurnStart): BackendOutcome {
  const parameters: JsonObject = {
    decided: Object.fromEntries(Array.from(decided, ([key, made]) => [key, { ...made }])),
  };
  const question: BackendQuestion = {
    id: LOST,
    action: "unknown_outcome",
    message: "The agent's process was lost while it worked. A part of the work may be done. Ask the agent again?",
    parameters,
  };
  return { termination: { type: "suspended" }, text: "", questions: [question] };
}

function failed({ reason }: BackendDecision): BackendOutcome {
  const value = `The agent's process was lost while it worked, and it was not asked again${reason === undefined ? "" : `: ${reason}`}.`;
  return { termination: { type: "error", value, code: "BACKEND_FAILED" }, text: "" };
}
