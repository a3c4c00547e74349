import { setTimeout as sleep } from "node:timers/promises";
import type { Tool } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import type { JsonObject } from "@reprise/state";
import { calculate } from "./calculate.ts";
import { NOTES } from "./notes.ts";

/** Arguments that are texts, all of them needed. */
function texts(fields: Readonly<Record<string, string>>): JsonObject {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, description]) => [name, { type: "string", description }]),
  );
  return { type: "object", properties, required: Object.keys(fields), additionalProperties: false };
}

const echo = defineTool<{ readonly message: string }>({
  id: "echo",
  description: "Says back what it is told.",
  inputSchema: texts({ message: "What to say back." }),
  class: "read_only",
  execute: ({ message }) => ({ message }),
});

const calculator = defineTool<{ readonly expression: string }>({
  id: "calculator",
  description: "Works out an expression of numbers, + - * / % ^ and parentheses.",
  inputSchema: texts({ expression: "As in 12 * (3 + 4)." }),
  class: "read_only",
  execute: ({ expression }) => ({ expression, value: calculate(expression) }),
});

const clock = defineTool({
  id: "clock",
  description: "Tells the time.",
  class: "read_only",
  execute: (_, { now }) => ({ time: new Date(now).toISOString() }),
});

const serverInfo = defineTool({
  id: "serverInfo",
  description: "Tells what this server runs on.",
  class: "read_only",
  execute: (_, context) =>
    context.record("server", () => ({
      name: "reprise",
      node: process.versions.node,
      platform: process.platform,
      uptime_seconds: Math.round(process.uptime()),
    })),
});

const lookUp = defineTool<{ readonly word: string }>({
  id: "lookUp",
  description: `Explains a word of Reprise: ${Object.keys(NOTES).join(", ")}.`,
  inputSchema: texts({ word: "One word." }),
  class: "read_only",
  execute: ({ word }) => {
    const note = Object.hasOwn(NOTES, word.toLowerCase()) ? NOTES[word.toLowerCase()] : undefined;
    if (note === undefined) throw new Error(`There is no note about ${word}. Known: ${Object.keys(NOTES).join(", ")}.`);
    return { word, note };
  },
});

const failingTool = defineTool({
  id: "failingTool",
  description: "Always fails.",
  class: "read_only",
  execute: () => {
    throw new Error("this tool fails whenever it is called");
  },
});

const finish = defineTool<{ readonly summary: string }>({
  id: "finish",
  description: "Says that the work is done. The agent stopper stops when it is called.",
  inputSchema: texts({ summary: "What was done." }),
  idempotent: true,
  execute: ({ summary }) => ({ finished: true, summary }),
});

const SLOW_STEPS = 10;

/** A tool that takes a while and says how far it is. `stepMs` is how long each of its steps takes. */
function slowTask(stepMs: number): Tool {
  return defineTool({
    id: "slowTask",
    description: "Takes a while, and says how far it is.",
    class: "read_only",
    async execute(_, { progress, signal }) {
      for (let step = 1; step <= SLOW_STEPS; step++) {
        await sleep(stepMs, undefined, { signal });
        progress({ progress: step, total: SLOW_STEPS, message: `step ${step} of ${SLOW_STEPS}` });
      }
      return { steps: SLOW_STEPS };
    },
  });
}

const sendEmail = defineTool<{ readonly to: string; readonly subject: string; readonly body: string }>({
  id: "sendEmail",
  description: "Pretends to send a mail. Asks first, and sends nothing.",
  inputSchema: texts({ to: "An address.", subject: "One line.", body: "The text." }),
  needsApproval: true,
  // Nothing leaves this process, so doing it again does nothing more.
  idempotent: true,
  validate: ({ to }) => (/^[^\s@]+@[^\s@]+$/.test(to) ? undefined : `${JSON.stringify(to)} is no mail address.`),
  execute: ({ to, subject }) => ({ to, subject, sent: false, note: "A demonstration: nothing was sent." }),
});

/** The tools of the demonstration. Without a pace they take no time, for tests. */
export function demoTools(pace: { readonly stepMs: number }): readonly Tool[] {
  return [echo, calculator, clock, serverInfo, lookUp, failingTool, finish, slowTask(pace.stepMs), sendEmail];
}
