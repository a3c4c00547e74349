import { changeState, definePlugin, defineState, emitEffect, type Json, type Plugin } from "reprise";

/** One line per run, part of the thread. */
interface AuditEntry {
  readonly run: number;
  readonly asked: readonly string[];
  readonly did: readonly string[];
  readonly ended: string;
}

export const audit = defineState({
  path: "audit",
  initial: (): AuditEntry[] => [],
  actions: {
    open: (entries) => [...entries, { run: entries.length + 1, asked: [], did: [], ended: "still open" }],
    ask: (entries, tools: string[]) =>
      changeLast(entries, (entry) => ({ ...entry, asked: [...entry.asked, ...tools] })),
    do: (entries, text: string) => changeLast(entries, (entry) => ({ ...entry, did: [...entry.did, text] })),
    close: (entries, ended: string) => changeLast(entries, (entry) => ({ ...entry, ended })),
  },
});

function changeLast(entries: readonly AuditEntry[], change: (entry: AuditEntry) => AuditEntry): AuditEntry[] {
  const last = entries.at(-1);
  return last === undefined ? [] : [...entries.slice(0, -1), change(last)];
}

/** Writes down what every run did: in the thread, and, once that is durable, to `send`. */
export function auditPlugin(send: (line: Json) => void): Plugin {
  return definePlugin({
    id: "audit",
    states: [audit],
    hooks: {
      // A run that waited begins again when it is decided: then its entry is there already.
      runStart: ({ state }) => (isOpen(state.get(audit)) ? [] : [changeState(audit.open())]),
      afterInference: ({ calls }) => [changeState(audit.ask(calls.map(({ toolId }) => toolId)))],
      afterToolExecute: ({ call, outcome }) => [changeState(audit.do(`${call.toolId} ${outcome}`))],
      runEnd({ termination, threadId, step }) {
        if (termination.type === "suspended") return [];
        return [
          changeState(audit.close(termination.type)),
          emitEffect("send", { threadId, steps: step, ended: termination.type }),
        ];
      },
    },
    effects: { send: (line) => send(line) },
  });
}

function isOpen(entries: readonly { readonly ended: string }[]): boolean {
  return entries.at(-1)?.ended === "still open";
}
