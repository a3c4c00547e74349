import { TOOL_KINDS, type ToolKind, type ToolName } from "./tool-kinds.ts";

/** What is deployed: each generation of processes has other tools, another plugin, other instructions and other agents. */
export interface Generation {
  /** From 0 on. */
  readonly number: number;
  /** The last one of a round knows every agent there was, so that nothing has to wait for ever. */
  readonly isLast: boolean;
}

export const FIRST_GENERATION: Generation = { number: 0, isLast: false };

/** A tool of this version is as the table of kinds says. */
export const FIRST_VERSION = 1;

/** After how many generations a tool has a new version. The others never change. */
const CHANGES: Readonly<Partial<Record<ToolName, number>>> = { pay: 1, charge: 1, publish: 2, slow: 1 };

export function versionIn(tool: ToolName, { number }: Generation): number {
  const every = CHANGES[tool];
  return every === undefined ? FIRST_VERSION : FIRST_VERSION + Math.floor(number / every);
}

/** How a tool behaves at a version: a charge may be repeated in every other one. */
export function kindAt(tool: ToolName, version: number): ToolKind {
  const kind: ToolKind = TOOL_KINDS[tool];
  return tool === "charge" && version % 2 === 0 ? { ...kind, idempotent: true } : kind;
}

/** The tools of a generation: in some of them, one is gone. */
export function toolsIn({ number }: Generation): readonly ToolName[] {
  // The keys of the table are its names.
  const names = Object.keys(TOOL_KINDS) as ToolName[];
  return names.filter((name) => name !== "hold" || number % 3 !== 1);
}

/** The agent that every generation knows. */
export const LASTING_AGENT = "chaos";

/** An agent that a generation brings, and the one after it still knows. */
export function agentOf(number: number): string {
  return number === 0 ? LASTING_AGENT : `chaos-${number}`;
}

export function agentsIn({ number, isLast }: Generation): readonly string[] {
  const numbers = Array.from({ length: number + 1 }, (_, index) => index);
  return numbers.filter((index) => isLast || index === 0 || index >= number - 1).map(agentOf);
}
