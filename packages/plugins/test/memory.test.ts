import { type ModelRequest, textOf } from "@reprise/contracts";
import type { ScriptTurn } from "@reprise/models";
import { agentMemory, deleteNotes, listNotes, type MemoryOptions } from "@reprise/plugins/memory";
import { describe, expect, it } from "vitest";
import { type Bench, type OpenOptions, openAgent } from "./support/open-agent.ts";

const remember = (text: string) => ({ call: "remember", arguments: { text } }) as const;

interface Talk {
  readonly thread: string;
  readonly resource?: string;
  readonly input?: string;
}

/** An agent with memory, and a way to run it on threads of several resources. All threads together take the turns in order. */
async function openMemory(turns: readonly ScriptTurn[], options: MemoryOptions = {}, more: OpenOptions = {}) {
  let turn = 0;
  const script = () => turns[turn++] ?? "done";
  const bench = await openAgent({ script, plugins: [agentMemory(options)], ...more });
  const talk = async ({ thread, resource, input = "go" }: Talk) => {
    const given = { agent: "agent", threadId: thread, input, ...(resource !== undefined && { resourceId: resource }) };
    const outcome = await bench.runtime.runToCompletion(given);
    if (outcome.run === undefined || outcome.status !== "done") throw new Error("The run did not end well.");
    return { run: outcome.run };
  };
  return { ...bench, talk };
}

/** The notes that the model reads in a request: the text of the plugin's context, or undefined. */
function notesIn({ messages }: ModelRequest): string | undefined {
  const text = textOf(messages.at(-1) ?? { content: "" });
  return /<context source="plugin:memory">\n(.*)\n<\/context>/s.exec(text)?.[1];
}

const lastNotes = ({ model }: Pick<Bench, "model">) => {
  const request = model.requests.at(-1);
  return request === undefined ? undefined : notesIn(request);
};

async function resultsOf({ runtime }: Bench, threadId: string): Promise<readonly unknown[]> {
  const { messages } = await runtime.threads.messages(threadId);
  return messages.filter(({ role }) => role === "tool").map((message) => JSON.parse(textOf(message)));
}

describe("notes of a resource", () => {
  it("reach a second thread of the same resource, and the runs verify by replay", async () => {
    const bench = await openMemory([[remember("Ada is allergic to nuts.")], "Noted.", "No nuts.", "ok"]);
    const first = await bench.talk({ thread: "t1", resource: "ada" });
    expect(bench.model.requests.map(notesIn)).toEqual([undefined, undefined]);
    const second = await bench.talk({ thread: "t2", resource: "ada", input: "What may I eat?" });
    expect(lastNotes(bench)).toMatch(/They are information.*\n- n1 \(\d{4}-\d\d-\d\d\): "Ada is allergic to nuts\."$/s);
    // A later run of the thread has its resource without saying so.
    await bench.talk({ thread: "t2" });
    expect(lastNotes(bench)).toContain("allergic to nuts");
    for (const outcome of [first, second]) expect(await bench.verify(outcome)).toMatchObject({ equal: true });
    for (const { run } of [first, second])
      expect(await bench.runtime.replay(run.run_id, { mode: "reexecute" })).toMatchObject({ equal: true });
  });

  it("have provenance, and are shown as sources of the context", async () => {
    const bench = await openMemory([[remember("Likes tea.")], "Noted.", "Tea?"]);
    const { run } = await bench.talk({ thread: "t1", resource: "ada" });
    expect(await listNotes(bench.runtime.documents, { resourceId: "ada" })).toEqual([
      expect.objectContaining({ id: "n1", text: "Likes tea.", threadId: "t1", runId: run.run_id, agentId: "agent" }),
    ]);
    const second = await bench.talk({ thread: "t2", resource: "ada" });
    const facts: unknown[] = [];
    for await (const event of (await bench.runtime.run(second.run.run_id)).events())
      if (event.type === "context_resolved") facts.push(event.data?.refs);
    expect(facts).toEqual([[{ kind: "memory", ref: "resource:ada#n1", plugin: "memory" }]]);
  });

  it("are found by words, listed without a query, and forgotten by id", async () => {
    const bench = await openMemory([
      [remember("Likes tea."), remember("Lives in Graz."), remember("Likes tea.")],
      "Noted.",
      [
        { call: "recall", arguments: { query: "Where does she live?" } },
        { call: "recall", arguments: { limit: 1 } },
      ],
      [
        { call: "forget", arguments: { id: "n2" } },
        { call: "forget", arguments: { id: "n9" } },
      ],
      "ok",
    ]);
    await bench.talk({ thread: "t1", resource: "ada" });
    const second = await bench.talk({ thread: "t2", resource: "ada" });
    expect(await resultsOf(bench, "t1")).toMatchObject([{ id: "n1" }, { id: "n2" }, { id: "n1" }]);
    expect(await resultsOf(bench, "t2")).toMatchObject([
      { notes: [{ id: "n2", text: "Lives in Graz.", thread_id: "t1", agent_id: "agent" }], total: 2 },
      { notes: [{ id: "n1" }], total: 2 },
      { forgotten: true },
      { forgotten: false },
    ]);
    // A note that is forgotten in this run is gone from its next request.
    expect(lastNotes(bench)).toContain("Likes tea.");
    expect(lastNotes(bench)).not.toContain("Graz");
    expect(await bench.verify(second)).toMatchObject({ equal: true });
  });

  it("can be deleted from outside of runs", async () => {
    const bench = await openMemory([[remember("Likes tea.")], "Noted.", "Hello."]);
    await bench.talk({ thread: "t1", resource: "ada" });
    expect(await deleteNotes(bench.runtime.documents, { resourceId: "ada" })).toBe(true);
    expect(await deleteNotes(bench.runtime.documents, { resourceId: "ada" })).toBe(false);
    await bench.talk({ thread: "t2", resource: "ada" });
    expect(lastNotes(bench)).toBeUndefined();
  });
});

describe("limits", () => {
  it("fit the notes that match best into the budget of characters, and say how many are left out", async () => {
    const texts = Array.from({ length: 30 }, (_, index) => `Fact number ${index} about something or other.`);
    const bench = await openMemory([[...texts, "The cat is called Miezi."].map(remember), "Noted.", "Miezi."], {
      maxContextCharacters: 400,
    });
    await bench.talk({ thread: "t1", resource: "ada" });
    await bench.talk({ thread: "t2", resource: "ada", input: "What is my cat called?" });
    const shown = lastNotes(bench) ?? "";
    expect(shown.length).toBeLessThanOrEqual(400);
    expect(shown.split("\n")[1]).toContain("Miezi");
    expect(shown).toMatch(/\n\d+ more: use the tool recall\.$/);
  });

  it("refuse a note that is too long, and drop the oldest when there are too many", async () => {
    const bench = await openMemory(
      [[remember("x".repeat(21)), remember("one"), remember("two"), remember("  ")], "ok"],
      {
        maxNoteCharacters: 20,
        maxNotes: 1,
      },
    );
    await bench.talk({ thread: "t1", resource: "ada" });
    const [tooLong, one, two, empty] = await resultsOf(bench, "t1");
    expect(tooLong).toMatchObject({ error: { message: "The note has 21 characters; the limit is 20." } });
    expect(one).toMatchObject({ id: "n1" });
    expect(two).toMatchObject({ id: "n2", dropped_for_room: ["n1"] });
    expect(empty).toMatchObject({ error: { message: "The note is empty." } });
  });

  it("leave the notes to the tool recall when the budget is 0", async () => {
    const bench = await openMemory([[remember("Likes tea.")], "ok", "Hello."], { maxContextCharacters: 0 });
    await bench.talk({ thread: "t1", resource: "ada" });
    await bench.talk({ thread: "t2", resource: "ada" });
    expect(lastNotes(bench)).toBeUndefined();
  });

  it.each([
    [{ maxNotes: 0 }, "maxNotes must be a whole number of at least 1 (got 0)"],
    [{ maxNotes: 5_000 }, "maxNotes: must be at most 1000 (got 5000)"],
    [{ namespace: "a/b" }, "namespace must be 1 to 64 letters, digits, _ or -"],
  ])("are checked when the plugin is made: %j", (options, message) => {
    expect(() => agentMemory(options)).toThrow(message);
  });
});

describe("a search function", () => {
  it("replaces the ranking in requests and in recall, and is not asked again by a replay", async () => {
    const queries: string[] = [];
    const bench = await openMemory(
      [
        [remember("Likes tea."), remember("Lives in Graz.")],
        "Noted.",
        [{ call: "recall", arguments: { query: "drinks" } }],
        "Tea.",
      ],
      {
        search: async (query, notes, { resourceId }) => {
          queries.push(`${resourceId}: ${query}`);
          return ["n99", ...notes.filter(({ text }) => text.includes("tea")).map(({ id }) => id), "n1"];
        },
      },
    );
    await bench.talk({ thread: "t1", resource: "ada" });
    const outcome = await bench.talk({ thread: "t2", resource: "ada", input: "Something to drink?" });
    expect(queries).toEqual(["ada: Something to drink?", "ada: drinks"]);
    expect(lastNotes(bench)).toContain("Likes tea.");
    expect(lastNotes(bench)).not.toContain("Graz");
    expect(await resultsOf(bench, "t2")).toMatchObject([{ notes: [{ id: "n1" }] }]);
    expect(await bench.runtime.replay(outcome.run.run_id, { mode: "reexecute" })).toMatchObject({ equal: true });
    expect(queries).toHaveLength(2);
  });
});

describe("without a resource", () => {
  it("the tools are hidden and refused", async () => {
    const bench = await openMemory([[remember("Likes tea.")], "ok"]);
    await bench.talk({ thread: "t1" });
    expect(bench.model.requests[0]?.tools).toEqual([]);
    expect(await resultsOf(bench, "t1")).toMatchObject([{ error: { code: "denied" } }]);
    expect(await listNotes(bench.runtime.documents, {})).toEqual([]);
  });

  it("the tenant shares notes when the plugin says so, apart from those of resources", async () => {
    const bench = await openMemory([[remember("We close at six.")], "ok", "At six.", "Hello Ada."], {
      withoutResource: "tenant",
    });
    await bench.talk({ thread: "t1" });
    await bench.talk({ thread: "t2" });
    expect(lastNotes(bench)).toContain("We close at six.");
    await bench.talk({ thread: "t3", resource: "ada" });
    expect(lastNotes(bench)).toBeUndefined();
  });
});

it("works from a configuration file, and the section sets the limits of the tools", async () => {
  const configured = { plugin_ids: ["memory"], sections: { memory: { max_note_characters: 12, namespace: "hr" } } };
  const bench = await openMemory(
    [[remember("Likes tea."), remember("Likes green tea.")], "ok", "Tea."],
    {},
    {
      configured,
    },
  );
  await bench.talk({ thread: "t1", resource: "ada" });
  expect(await resultsOf(bench, "t1")).toMatchObject([{ id: "n1" }, { error: { code: "invalid_arguments" } }]);
  const second = await bench.talk({ thread: "t2", resource: "ada" });
  expect(lastNotes(bench)).toContain("Likes tea.");
  expect(await listNotes(bench.runtime.documents, { resourceId: "ada", namespace: "hr" })).toHaveLength(1);
  expect(await listNotes(bench.runtime.documents, { resourceId: "ada" })).toEqual([]);
  expect(await bench.verify(second)).toMatchObject({ equal: true });
});
