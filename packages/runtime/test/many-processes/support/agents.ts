import { setTimeout as pause } from "node:timers/promises";
import { awaitRun, type ModelRequest, type Tool, textOf } from "@reprise/contracts";
import { openaiCompatible, type ScriptTurn, scriptedModel } from "@reprise/models";
import { type Agent, defineAgent, defineTool } from "@reprise/runtime";
import { z } from "zod";
import type { AskedModel } from "./worker-protocol.ts";

export interface AgentPorts {
  /** Where the model is asked over HTTP; without it, it is in the process. */
  readonly modelUrl?: string;
  executing(tool: string, key: string): void;
  asked(request: AskedModel): void;
}

/** The versions of the agents there are. `1` is what runs were started with; each other is a later deploy. */
export type Build = "1" | "tool_gone" | "stricter_arguments" | "tool_version" | "prompt" | "agent_gone";

/** The agents of a build: a worker that does what it is told in JSON and tells what tools answered, and another one. */
export function createAgents(build: Build, ports: AgentPorts): readonly Agent[] {
  const model =
    ports.modelUrl === undefined
      ? scriptedModel((request) => {
          ports.asked({ prompt: promptOf(request), last: lastText(request) });
          return withinLimit(answer(request), request);
        }, "by-the-book")
      : openaiCompatible({ id: "remote", baseUrl: ports.modelUrl }).model("by-the-book");
  const instructions = build === "prompt" ? "Do as you are told, politely." : "Do as you are told.";
  const other = defineAgent({ id: "other", model, instructions });
  if (build === "agent_gone") return [other];
  const tools = createTools(build, ports);
  return [defineAgent({ id: "worker", model, instructions, tools, allowedAgents: ["worker"] }), other];
}

/** An answer is no longer than the request allows. */
function withinLimit(turn: ScriptTurn, { options }: ModelRequest): ScriptTurn {
  const most = Number(options?.max_tokens ?? Number.POSITIVE_INFINITY);
  if (typeof turn === "string") return turn;
  return turn.map((step) => {
    if (!("usage" in step)) return step;
    const { completionTokens: completion_tokens = 0 } = step.usage;
    return { usage: { ...step.usage, completion_tokens: Math.min(completion_tokens, most) } };
  });
}

function createTools(build: Build, { executing }: AgentPorts): readonly Tool[] {
  const note = defineTool({
    id: "note",
    description: "Writes something down, if somebody agrees.",
    version: build === "tool_version" ? "2" : "1",
    inputSchema: z.object({ text: build === "stricter_arguments" ? z.string().min(100) : z.string() }),
    needsApproval: true,
    execute({ text }, { idempotencyKey }) {
      executing("note", idempotencyKey);
      return `noted ${text}`;
    },
  });
  const work = defineTool({
    id: "work",
    description: "Takes its time. Doing it twice is doing it once.",
    idempotent: true,
    timeoutMs: null,
    inputSchema: z.object({ ms: z.number() }),
    async execute({ ms }, { idempotencyKey, signal }) {
      executing("work", idempotencyKey);
      await pause(ms, undefined, { signal });
      return `worked ${ms} ms`;
    },
  });
  const letter = defineTool({
    id: "letter",
    description: "Sends a letter, which cannot be taken back.",
    version: build === "tool_version" ? "2" : "1",
    timeoutMs: null,
    inputSchema: z.object({ ms: z.number() }),
    async execute({ ms }, { idempotencyKey, signal }) {
      executing("letter", idempotencyKey);
      await pause(ms, undefined, { signal });
      return "sent";
    },
  });
  const poison = defineTool({
    id: "poison",
    description: "Ends the process that executes it, at once.",
    idempotent: true,
    execute(_, { idempotencyKey }) {
      executing("poison", idempotencyKey);
      process.kill(process.pid, "SIGKILL");
      return new Promise<never>(() => undefined);
    },
  });
  const delegate = delegating({
    id: "delegate",
    description: "Has a run below do what it is told, and waits for it unless it is in the background.",
    recursive: true,
  });
  const hire = delegating({
    id: "hire",
    description: "The same, and keeps the slot of its run: the run below finds one elsewhere.",
    recursive: false,
  });
  const lasting = [work, letter, poison, delegate, hire];
  return build === "tool_gone" ? lasting : [note, ...lasting];
}

function delegating(tool: { readonly id: string; readonly description: string; readonly recursive: boolean }): Tool {
  return defineTool({
    ...tool,
    idempotent: true,
    inputSchema: z.object({
      prompt: z.string(),
      background: z.boolean().optional(),
      limitTokens: z.number().optional(),
    }),
    async execute({ prompt, background = false, limitTokens }, { runs }) {
      const limits = limitTokens === undefined ? {} : { limits: { limitTokens } };
      const child = await runs.start({ agentId: "worker", prompt, background, ...limits });
      return background ? "started" : awaitRun(child);
    },
  });
}

function answer(request: ModelRequest): ScriptTurn {
  const text = lastText(request);
  if (request.messages.at(-1)?.role === "tool") return `told: ${text}`;
  // The tests write steps of a script.
  return text.startsWith("[") ? (JSON.parse(text) as ScriptTurn) : `heard: ${text}`;
}

function lastText({ messages }: ModelRequest): string {
  const last = messages.at(-1);
  return last === undefined ? "" : textOf(last);
}

function promptOf({ system }: ModelRequest): string {
  return JSON.stringify(system ?? null);
}
