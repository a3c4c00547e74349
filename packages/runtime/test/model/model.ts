import type { LanguageModel, Message, ModelChunk, ModelRequest } from "@reprise/contracts";
import { type ScriptStep, scriptedModel } from "@reprise/models";
import type { FakeProcess } from "./process.ts";
import type { ScriptedTurn } from "./scenario.ts";

export interface ModelPorts {
  readonly process: FakeProcess;
  readonly scripts: readonly (readonly ScriptedTurn[])[];
  /** Troubles that have happened, in any process. */
  readonly troubles: Set<string>;
  /** Called before every answer. */
  readonly onRequest: (process: FakeProcess, threadId: string, messages: readonly Message[]) => Promise<void>;
}

const CONTINUATION: ReadonlySet<string> = new Set(["partial", "continue"]);

/** A model whose answer follows from the messages alone, so that any process continues what another began. */
export function createModel({ process, scripts, troubles, onRequest }: ModelPorts): LanguageModel {
  const inner = scriptedModel((request) => {
    const { turn, key } = findTurn(scripts, request);
    return steps(turn, request, !troubles.has(key) && troubles.add(key) !== undefined);
  });
  return {
    id: inner.id,
    async *stream(request): AsyncGenerator<ModelChunk> {
      const { turn, threadId } = findTurn(scripts, request);
      const messages = request.messages.filter(({ id }) => !CONTINUATION.has(id));
      await onRequest(process, threadId, messages);
      for await (const chunk of inner.stream(request)) {
        if (chunk.type === "finish" && turn.slowMs > 0) await process.env.clock.sleep(turn.slowMs, request.signal);
        await process.admit();
        yield chunk;
      }
    },
  };
}

/** The script continues with every answer the thread has. */
function findTurn(
  scripts: readonly (readonly ScriptedTurn[])[],
  { messages }: ModelRequest,
): { readonly turn: ScriptedTurn; readonly threadId: string; readonly key: string } {
  const threadId = threadIdOf(messages);
  const script = scripts[Number(threadId.slice(1))] ?? [];
  const said = messages.filter(({ id, role }) => role === "assistant" && !CONTINUATION.has(id)).length;
  const turn = script[said % (script.length + 1)] ?? { text: "Done.", calls: [], trouble: "none", slowMs: 0 };
  return { turn, threadId, key: `${threadId}:${said}` };
}

/** Every message of a user begins with the name of its thread. */
function threadIdOf(messages: readonly Message[]): string {
  const last = messages.findLast(({ id, role }) => role === "user" && !CONTINUATION.has(id));
  return String(last?.content).slice(0, 2);
}

function steps(
  { text, calls, trouble }: ScriptedTurn,
  { messages }: ModelRequest,
  isFirst: boolean,
): readonly ScriptStep[] {
  const isContinued = messages.at(-1)?.id === "continue";
  const said: readonly ScriptStep[] = text === "" ? [] : [{ text: [text.slice(0, 2), text.slice(2)] }];
  if (isFirst && trouble === "fail") return [...said, { fail: "invalid_request" }];
  if (isFirst && trouble === "cut") return [...said, { cut: true }];
  if (isFirst && trouble === "break") return [...said, { unfinishedCall: "pay", raw: '{"lab' }, { cut: true }];
  const made = calls.map(({ tool, label, waitMs }) => ({ call: tool, arguments: { label, waitMs } }));
  return [...(isContinued ? [{ text: " More." }] : said), ...made];
}
