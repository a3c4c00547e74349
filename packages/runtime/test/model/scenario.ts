import type { BusyPolicy, DecisionVerb, PartialSuspension, ToolExecutionMode } from "@reprise/contracts";
import fc from "fast-check";
import { TOOL_IDS, type ToolId } from "./tools.ts";

/** A call the model makes. `waitMs` is how long the tool takes, by the fake clock. */
export interface ScriptedCall {
  readonly tool: ToolId;
  readonly label: number;
  readonly waitMs: number;
}

/** What the model does once. Trouble happens the first time only. */
export interface ScriptedTurn {
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
  readonly trouble: "none" | "cut" | "break" | "fail";
  readonly slowMs: number;
}

/** Where a process can be stopped: the runtime's fault points, and before or after any call of the store. */
export type StopPoint =
  | "commit:before"
  | "commit:after"
  | "tool:before"
  | "tool:executed"
  | "store:before"
  | "store:after";

/** As a decision: on what waits, or early on what runs. As a request: with a message or alone. */
export type DecideHow = "now" | "early" | "in_request" | "with_message";

/** Calls of the store that fail now and then. */
export type FlakyMethod = "commit" | "submit" | "decide" | "any";

export type Command = { readonly turns: number } & (
  | {
      readonly do: "say";
      readonly at: number;
      readonly thread: number;
      readonly policy: BusyPolicy;
      readonly priority: number;
    }
  | { readonly do: "resend"; readonly at: number; readonly pick: number }
  | {
      readonly do: "decide";
      readonly at: number;
      readonly pick: number;
      readonly verb: DecisionVerb;
      readonly how: DecideHow;
    }
  | { readonly do: "cancel"; readonly at: number; readonly pick: number }
  | { readonly do: "patch"; readonly at: number; readonly thread: number }
  | { readonly do: "read"; readonly at: number; readonly pick: number; readonly follow: boolean }
  | { readonly do: "hop"; readonly at: number; readonly pick: number; readonly back: number }
  | {
      readonly do: "trap";
      readonly at: number;
      readonly point: StopPoint;
      readonly skip: number;
      readonly stop: "die" | "pause";
    }
  | {
      readonly do: "flaky";
      readonly at: number;
      readonly method: FlakyMethod;
      readonly count: number;
      readonly isLate: boolean;
    }
  | { readonly do: "curse"; readonly point: StopPoint; readonly deaths: number }
  | { readonly do: "kill"; readonly at: number }
  | { readonly do: "close"; readonly at: number }
  | { readonly do: "thaw" }
  | { readonly do: "boot" }
  | { readonly do: "advance"; readonly ms: number }
);

/** How the agent works. */
export interface AgentKind {
  readonly mode: ToolExecutionMode;
  readonly partial: PartialSuspension;
  /** Whether reads begin while the model speaks; they do not where a plugin is asked first. */
  readonly readsEarly: boolean;
  /** Whether a plugin refuses, answers and asks. */
  readonly isGuarded: boolean;
}

export interface Scenario {
  readonly seed: number;
  readonly agent: AgentKind;
  /** Processes there are at the beginning. */
  readonly processes: number;
  /** Turns of the event loop a store call may take, at most. */
  readonly latency: number;
  /** A process that hears of work only by looking for it. */
  readonly isDeaf: boolean;
  /** What the model does, by thread. */
  readonly scripts: readonly (readonly ScriptedTurn[])[];
  readonly commands: readonly Command[];
  /** How what is still open in the end is decided. */
  readonly verdicts: readonly DecisionVerb[];
}

export const THREADS = 3;

const waitMs = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.constantFrom(300, 2_500, 8_000) },
  { weight: 1, arbitrary: fc.constant(90_000) },
);

const call: fc.Arbitrary<ScriptedCall> = fc.record({
  tool: fc.constantFrom(...TOOL_IDS),
  label: fc.nat({ max: 9 }),
  waitMs,
});

const turn: fc.Arbitrary<ScriptedTurn> = fc.record({
  text: fc.constantFrom("", "Well.", "Let me see."),
  calls: fc.array(call, { maxLength: 3 }),
  trouble: fc.oneof(
    { weight: 8, arbitrary: fc.constant("none" as const) },
    { weight: 1, arbitrary: fc.constantFrom("cut" as const, "break" as const, "fail" as const) },
  ),
  slowMs: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(700, 5_000) }),
});

const verb: fc.Arbitrary<DecisionVerb> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<DecisionVerb>({ action: "approve" }) },
  { weight: 2, arbitrary: fc.constant<DecisionVerb>({ action: "deny", reason: "No." }) },
  { weight: 2, arbitrary: fc.constant<DecisionVerb>({ action: "edit", arguments: { label: 77, waitMs: 0 } }) },
  { weight: 1, arbitrary: fc.constant<DecisionVerb>({ action: "edit", arguments: { label: "wrong" } }) },
  { weight: 2, arbitrary: fc.constant<DecisionVerb>({ action: "supply", result: { supplied: true } }) },
);

const at = fc.nat({ max: 2 });
const thread = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.nat({ max: THREADS - 1 }) },
);
const pick = fc.nat({ max: 11 });
const turns = fc.oneof({ weight: 2, arbitrary: fc.nat({ max: 3 }) }, { weight: 1, arbitrary: fc.nat({ max: 12 }) });
const policy = fc.constantFrom<BusyPolicy>(
  "continue",
  "continue",
  "enqueue",
  "enqueue",
  "interrupt",
  "rollback",
  "reject",
  "steer",
  "steer",
);
const point = fc.constantFrom<StopPoint>(
  "commit:before",
  "commit:after",
  "tool:before",
  "tool:executed",
  "store:before",
  "store:after",
);
const priority = fc.constantFrom(0, 0, 0, 1);

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("say" as const), at, thread, policy, priority, turns }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("resend" as const), at, pick, turns }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("decide" as const),
      at,
      pick,
      verb,
      how: fc.constantFrom<DecideHow>("now", "now", "early", "early", "in_request", "with_message"),
      turns,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel" as const), at, pick, turns }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("patch" as const), at, thread, turns }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("read" as const), at, pick, follow: fc.boolean(), turns }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("hop" as const), at, pick, back: fc.nat({ max: 5 }), turns }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("trap" as const),
      at,
      point,
      skip: fc.nat({ max: 6 }),
      stop: fc.constantFrom("die" as const, "die" as const, "pause" as const),
      turns,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("flaky" as const),
      at,
      method: fc.constantFrom<FlakyMethod>("commit", "commit", "submit", "decide", "any"),
      count: fc.constantFrom(1, 2, 3, 30),
      isLate: fc.boolean(),
      turns,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("curse" as const), point, deaths: fc.integer({ min: 2, max: 6 }), turns }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), at, turns }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("close" as const), at, turns }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("thaw" as const), turns }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("boot" as const), turns }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      ms: fc.constantFrom(100, 1_000, 4_000, 13_000, 20_000),
      turns,
    }),
  },
);

const agent: fc.Arbitrary<AgentKind> = fc.record({
  mode: fc.constantFrom<ToolExecutionMode>(
    "parallel_streaming",
    "parallel_streaming",
    "parallel_batch_approval",
    "sequential",
  ),
  partial: fc.constantFrom<PartialSuspension>("wait", "wait", "continue"),
  readsEarly: fc.boolean(),
  isGuarded: fc.boolean(),
});

/** A history: who says what, what the model and the tools do, who decides, and what breaks when. */
export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.nat({ max: 9_999 }),
  agent,
  processes: fc.integer({ min: 2, max: 3 }),
  latency: fc.nat({ max: 3 }),
  isDeaf: fc.boolean(),
  scripts: fc.array(fc.array(turn, { minLength: 1, maxLength: 4 }), { minLength: THREADS, maxLength: THREADS }),
  commands: fc.array(command, { minLength: 3, maxLength: 28, size: "max" }),
  verdicts: fc.array(verb, { minLength: 1, maxLength: 4 }),
});

/** A scenario in few lines, for readers. */
export function describeScenario({ scripts, commands, verdicts, ...rest }: Scenario): string {
  const lines = [
    JSON.stringify(rest),
    ...scripts.map((script, index) => `script ${index}: ${script.map(describeTurn).join(" | ")}`),
    ...commands.map((item) => JSON.stringify(item)),
    `verdicts: ${JSON.stringify(verdicts)}`,
  ];
  return lines.map((line) => `  ${line}`).join("\n");
}

function describeTurn({ text, calls, trouble, slowMs }: ScriptedTurn): string {
  const made = calls.map(({ tool, label, waitMs: wait }) => `${tool}(${label}${wait === 0 ? "" : `, ${wait} ms`})`);
  const parts = [
    JSON.stringify(text),
    ...made,
    ...(trouble === "none" ? [] : [trouble]),
    ...(slowMs === 0 ? [] : [`slow ${slowMs}`]),
  ];
  return parts.join(" ");
}
