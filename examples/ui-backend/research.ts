import { defineAgent, defineState, defineTool, type Message, type ScriptTurn, ToolError } from "reprise";
import { callsSince, isToolResult, pacedModel, requestOf, wordsOf } from "./paced-model.ts";

interface Source {
  readonly id: string;
  readonly title: string;
  readonly kind: "article" | "book" | "data";
  readonly year: number;
  readonly note: string;
}

interface Library {
  readonly topic: string;
  readonly sources: readonly Source[];
  readonly summary: string;
}

/** What the page shows: the sources that were found, and what they say together. */
const library = defineState({
  path: "library",
  initial: (): Library => ({ topic: "", sources: [], summary: "" }),
  actions: {
    add: (now, topic: string, source: Source): Library => {
      const others = now.sources.filter(({ id }) => id !== source.id);
      return { ...now, topic, sources: [...others, source] };
    },
    remove: (now, id: string): Library => ({ ...now, sources: now.sources.filter((source) => source.id !== id) }),
    summarise: (now, summary: string): Library => ({ ...now, summary }),
  },
});

const addSource = defineTool({
  id: "add_source",
  description: "Adds a source to the library.",
  inputSchema: {
    type: "object",
    properties: {
      topic: { type: "string" },
      id: { type: "string" },
      title: { type: "string" },
      kind: { enum: ["article", "book", "data"] },
      year: { type: "integer" },
      note: { type: "string" },
    },
    required: ["topic", "id", "title", "kind", "year", "note"],
  },
  execute: ({ topic, ...source }: { topic: string } & Source, { state }) => {
    state.apply(library.add(topic, source));
    return { added: source.id };
  },
});

const writeSummary = defineTool({
  id: "write_summary",
  description: "Writes what the sources say.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: ({ text }: { text: string }, { state }) => {
    state.apply(library.summarise(text));
    return { written: text.length };
  },
});

const deleteSource = defineTool({
  id: "delete_source",
  description: "Deletes a source from the library. It cannot be brought back, so a person decides.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string" }, title: { type: "string" } },
    required: ["id", "title"],
  },
  needsApproval: true,
  execute: ({ id }: { id: string }, { state }) => {
    if (!state.get(library).sources.some((source) => source.id === id))
      return new ToolError("invalid_arguments", `There is no source ${id} in the library.`);
    state.apply(library.remove(id));
    return { deleted: id };
  },
});

interface Topic {
  readonly sources: readonly Source[];
  readonly summary: string;
}

const SHELVES: Readonly<Record<string, Topic>> = {
  tides: {
    sources: [
      {
        id: "t1",
        title: "Why the sea rises twice a day",
        kind: "article",
        year: 2019,
        note: "Two bulges: one below the moon, one behind the earth.",
      },
      {
        id: "t2",
        title: "A year of tide gauges",
        kind: "data",
        year: 2023,
        note: "Hourly levels of twelve harbours. Two have gaps.",
      },
      {
        id: "t3",
        title: "The moon and the harbour",
        kind: "book",
        year: 1987,
        note: "How pilots predicted tides before computers.",
      },
    ],
    summary:
      "The moon raises two bulges, so most coasts have two high tides a day. The shape of a harbour changes height and time; gauges show by how much.",
  },
  bees: {
    sources: [
      {
        id: "b1",
        title: "A dance that points the way",
        kind: "article",
        year: 2014,
        note: "The angle of the dance is the angle to the sun.",
      },
      {
        id: "b2",
        title: "Hives on a roof",
        kind: "book",
        year: 2008,
        note: "Bees in cities find more kinds of flowers than in fields.",
      },
      { id: "b3", title: "Weights of 40 hives", kind: "data", year: 2021, note: "Daily weights over two summers." },
    ],
    summary:
      "Bees tell each other direction and distance by dancing. Weights of hives show the good days: warm, dry, and close to flowers.",
  },
};

/** Collects and summarises, or asks to delete what the person names. */
function play(messages: readonly Message[]): ScriptTurn {
  const said = requestOf(messages).toLowerCase();
  const calls = callsSince(messages);
  if (/\b(delete|remove)\b/.test(said)) return playDeletion(said, calls, messages.at(-1));
  const [name, topic] = Object.entries(SHELVES).find(([each]) => said.includes(each)) ?? [];
  if (name === undefined || topic === undefined)
    return `I can research ${Object.keys(SHELVES).join(" and ")}. Try: research tides.`;
  const found = topic.sources[calls.filter((each) => each === "add_source").length];
  if (found !== undefined) {
    const begin = calls.length === 0 ? [{ text: `I am looking for sources on ${name}.` }] : [];
    return [...begin, { call: "add_source", arguments: { topic: name, ...found } }];
  }
  if (!calls.includes("write_summary")) return [{ call: "write_summary", arguments: { text: topic.summary } }];
  return `${topic.sources.length} sources on ${name}, and a summary. Say which one to delete if it does not belong.`;
}

function playDeletion(said: string, calls: readonly string[], last: Message | undefined): ScriptTurn {
  const all = Object.values(SHELVES).flatMap(({ sources }) => sources);
  const meant = all.find(({ title }) => said.includes(title.toLowerCase()));
  if (meant === undefined) return "Say the title of the source, and I ask before I delete it.";
  const { id, title } = meant;
  if (calls.length === 0) return [{ text: "I ask you first." }, { call: "delete_source", arguments: { id, title } }];
  return isToolResult(last) && wordsOf(last).includes("deleted") ? `“${title}” is deleted.` : `“${title}” stays.`;
}

/** The agent of `research-ui`. */
export const researcher = defineAgent({
  id: "researcher",
  model: pacedModel(play, "researcher"),
  tools: [addSource, writeSummary, deleteSource],
});
