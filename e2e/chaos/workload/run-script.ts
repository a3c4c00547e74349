import { createSeededRandom, type SeededRandom } from "../random/seeded-random.ts";
import type { ToolName } from "./tool-kinds.ts";

/** A call the model of a script asks for. */
export interface ScriptedCall {
  readonly tool: ToolName;
  readonly arguments: { readonly n: number; readonly pause_ms: number };
}

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
  const turns = Array.from({ length: random.between(1, 3) }, () => scriptTurn(random, random.between(1, 4)));
  return { turns: [...turns, scriptTurn(random, 0)] };
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
