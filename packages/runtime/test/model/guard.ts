import type { Plugin } from "@reprise/contracts";
import { blockCall, setToolResult, suspendCall } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";

/** What the guard thinks of a call. */
export type Judgement = "pass" | "block" | "answer" | "ask" | "ask_twice" | "hurry";

const JUDGEMENTS: readonly Judgement[] = [
  ...Array.from({ length: 6 }, () => "pass" as const),
  "block",
  "answer",
  "ask",
  "ask_twice",
  "hurry",
];

/** Follows from the call alone, so that every process judges the same, as often as it is asked. */
export function judge(seed: number, callId: string): Judgement {
  let hash = 2_166_136_261 ^ seed;
  for (const character of callId) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619);
  return JUDGEMENTS[(hash >>> 8) % JUDGEMENTS.length] ?? "pass";
}

/** Whether a call must have been let through by somebody before it runs, and by how many decisions. */
export function decisionsNeeded(judgement: Judgement): number {
  if (judgement === "ask_twice") return 2;
  return judgement === "ask" || judgement === "hurry" ? 1 : 0;
}

/** A plugin that refuses, answers and asks, as it pleases and always the same. */
export function createGuard(seed: number): Plugin {
  return definePlugin({
    id: "guard",
    hooks: {
      beforeToolExecute({ call }) {
        switch (judge(seed, call.callId)) {
          case "block":
            return [blockCall("Not that one.")];
          case "answer":
            return [setToolResult({ answered: call.callId })];
          case "ask":
            return [suspendCall({ action: "guard" })];
          case "ask_twice":
            return call.suspension < 2 ? [suspendCall({ action: "guard", again: true })] : [];
          case "hurry":
            return [suspendCall({ action: "guard", expiresInMs: 3_000 })];
          default:
            return [];
        }
      },
    },
  });
}
