import { type RunRequest, textOf } from "@reprise/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { countingTool, notes } from "./support/tools.ts";
import { soon } from "./support/wait.ts";

/** What somebody does with a conversation. Places are counted from its end, around. */
type Move = { readonly kind: "say" | "ask" } | { readonly kind: "regenerate" | "edit"; readonly place: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constantFrom("say" as const, "ask" as const) }),
  fc.record({ kind: fc.constantFrom("regenerate" as const, "edit" as const), place: fc.nat(6) }),
);

/** A turn as a page has it: what was said, the run it was said to, and the one that answers it now. */
interface Turn {
  readonly text: string;
  readonly saidTo: string;
  readonly run: string;
}

it("leaves the conversation that the page shows, however the user goes back in it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 2, maxLength: 10 }), async (moves) => {
      const free = countingTool();
      const guarded = countingTool({ id: "guarded", needsApproval: true });
      const bench = await openRuntime({
        tools: [free.tool, guarded.tool],
        script: ({ messages }) => {
          const last = messages.at(-1);
          if (last?.role === "tool") return "done";
          const title = last === undefined ? "" : textOf(last);
          return [{ call: title.startsWith("ask") ? "guarded" : "add", arguments: { title } }];
        },
      });
      let turns: readonly Turn[] = [];
      for (const [index, { kind, ...rest }] of moves.entries()) {
        const run = `r${index}`;
        const at = "place" in rest && turns.length > 0 ? rest.place % turns.length : turns.length;
        const replaced = turns[at];
        const text = kind === "regenerate" && replaced !== undefined ? replaced.text : `${kind} ${index}`;
        const isAnew = kind === "regenerate" && replaced !== undefined;
        const asked: RunRequest = {
          agent_id: "agent",
          thread_id: "t1",
          run_id: run,
          messages: isAnew ? [] : [{ role: "user", content: text }],
          ...(replaced !== undefined && {
            restore: { run_id: isAnew ? replaced.run : replaced.saidTo, keep_input: isAnew },
          }),
        };
        await soon((await bench.runtime.submit(asked)).outcome(), `the end of ${run}`);
        turns = [...turns.slice(0, at), { text, run, saidTo: isAnew ? replaced.saidTo : run }];
        await assertConsistent(bench.tenant, "t1");
      }
      const { messages } = await bench.runtime.threads.messages("t1", { limit: 200 });
      const said = messages.flatMap((message) => (message.role === "user" ? [textOf(message)] : []));
      expect(said).toEqual(turns.map(({ text }) => text));
      const answering = messages.flatMap(({ role, metadata }) => (role === "assistant" ? [metadata?.run_id] : []));
      expect([...new Set(answering)]).toEqual(turns.map(({ run }) => run));
      // A guarded call was never approved: it was talked over, or still waits.
      expect(guarded.keys).toEqual([]);
      const kept = turns.filter(({ text }) => !text.startsWith("ask")).map(({ text }) => text);
      expect(notes.read(await bench.runtime.threads.state("t1"))).toEqual(kept);
      for (const { run_id, status } of (await bench.runtime.runs({ threadId: "t1", limit: 200 })).items) {
        if (status !== "done") continue;
        expect(await soon(bench.runtime.replay(run_id), `the replay of ${run_id}`)).toMatchObject({ equal: true });
      }
    }),
    { numRuns: 60 },
  );
});
