import { createSeededRandom, type SeededRandom } from "../random/seeded-random.ts";
import { isOfFlow } from "./flow-document.ts";
import type { FlowTool } from "./flow-tools.ts";
import type { ToolName } from "./tool-kinds.ts";

/** Tools that have another agent play a script: `delegate` waits for it, `dispatch` does not. */
export type TreeTool = "delegate" | "dispatch";

/** How the threads begin whose runs have runs below them; their scripts are named after them. */
export const TREE_PREFIX = "tree";

/** Stands between the name of a script and what tells the scripts below it apart. */
const CHILD_MARK = "/";

export function isOfTree(script: string): boolean {
  return script.startsWith(TREE_PREFIX);
}

export function depthOf(script: string): number {
  return script.split(CHILD_MARK).length - 1;
}

/** A call the model of a script asks for: of a tool of the table, or of one that has another agent play a script. */
export type ScriptedCall =
  | { readonly tool: ToolName | FlowTool; readonly arguments: { readonly n: number; readonly pause_ms: number } }
  | { readonly tool: TreeTool; readonly arguments: { readonly script: string } };

export interface ScriptedTurn {
  readonly reasoning?: string;
  readonly text: readonly string[];
  readonly calls: readonly ScriptedCall[];
  /** How long the model says nothing in the middle. */
  readonly pauseMs: number;
  /** The first attempt of a process ends in the middle, without a word. */
  readonly isCut: boolean;
}

/** What the model does in one run: a function of the script's name, the same in every process. */
export interface RunScript {
  readonly turns: readonly ScriptedTurn[];
}

/** How often each tool is asked for. */
const WEIGHTS: Readonly<Record<ToolName, number>> = {
  look: 4,
  note: 4,
  charge: 4,
  pay: 2,
  publish: 2,
  slow: 1,
  ask: 1,
  offer: 1.5,
  crack: 1,
  hold: 0.5,
  wrap: 0.5,
};

export function createRunScript(name: string): RunScript {
  const random = createSeededRandom(name);
  if (isOfTree(name)) return createTreeScript(name, random);
  if (isOfFlow(name)) return createFlowScript(random);
  const turns = Array.from({ length: random.between(1, 3) }, () => scriptTurn(random, random.between(1, 4)));
  return { turns: [...turns, scriptTurn(random, 0)] };
}

/** How many calls of a run at each depth of a tree have an agent below work. */
const DELEGATING: readonly number[] = [0.6, 0.4, 0.25];
/** How many of those do not wait for it. */
const BACKGROUND_SHARE = 0.3;

/** What the model of a run of a tree does: shorter than alone, with other runs below it, some beside each other. */
function createTreeScript(name: string, random: SeededRandom): RunScript {
  const share = DELEGATING[depthOf(name)] ?? 0;
  const turns = Array.from({ length: random.between(1, 2) }, (_, turn): ScriptedTurn => {
    const played = scriptTurn(random, random.between(1, 3));
    const calls = played.calls.map((call, index): ScriptedCall => {
      if (!random.chance(share)) return call;
      const script = `${name}${CHILD_MARK}${turn}-${index}`;
      return { tool: random.chance(BACKGROUND_SHARE) ? "dispatch" : "delegate", arguments: { script } };
    });
    return { ...played, calls, isCut: false };
  });
  return { turns: [...turns, { ...scriptTurn(random, 0), isCut: false }] };
}

/** What the model of a node of a workflow does: it speaks, and in some nodes has tools of the workflow called before. */
function createFlowScript(random: SeededRandom): RunScript {
  const last = { ...scriptTurn(random, 0), isCut: false };
  if (random.chance(0.6)) return { turns: [last] };
  const tools: readonly FlowTool[] = random.chance(0.5) ? ["post"] : ["post", "debit"];
  const calls = tools.map((tool): ScriptedCall => {
    return { tool, arguments: { n: random.between(1, 1_000_000), pause_ms: random.between(0, 30) } };
  });
  return { turns: [{ ...last, text: ["Let me see. "], calls }, last] };
}

function scriptTurn(random: SeededRandom, calls: number): ScriptedTurn {
  return {
    ...(random.chance(0.3) && { reasoning: `Thinking about ${random.between(1, 1_000)}.` }),
    text: Array.from({ length: random.between(1, 5) }, () => `${random.pick(WORDS)}${random.between(1, 999)} `),
    calls: Array.from({ length: calls }, () => scriptCall(random)),
    pauseMs: random.chance(0.15) ? random.between(20, 120) : random.between(0, 4),
    isCut: random.chance(0.05),
  };
}

function scriptCall(random: SeededRandom): ScriptedCall {
  const tool = random.pickWeighted(WEIGHTS);
  return { tool, arguments: { n: random.between(1, 1_000_000), pause_ms: random.between(0, 1_000) } };
}

/** Text that stores have been known to trip over: halves of characters stay whole here, zero bytes do not hurt. */
const WORDS: readonly [string, ...string[]] = [
  "ja",
  "Ü",
  "\u0000",
  "😀",
  "\u202e",
  "e\u0301",
  "\ufeff",
  "'",
  '"\\',
  "\n",
];

const MARK = /^script (\S+)/;

/** What a user says to have a script played. */
export function scriptMessage(name: string): string {
  const noise = createSeededRandom(`${name}/noise`);
  return `script ${name} ${Array.from({ length: 3 }, () => noise.pick(WORDS)).join("")}`;
}

/** The script a message asks for; undefined when it asks for none. */
export function scriptNamed(text: string): string | undefined {
  return MARK.exec(text)?.[1];
}
