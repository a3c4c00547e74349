import {
  type AfterInferenceContext,
  type ContextRef,
  changeState,
  emitEvent,
  type Message,
  noteContext,
  type PhaseAction,
  type Plugin,
} from "@reprise/contracts";
import { objectOf, optional, wholeNumberFrom } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import { type ActionCreators, defineState, type Json, type StateDefinition } from "@reprise/state";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { describeCatalogue } from "./catalogue.ts";

const ID = "facts";

export interface FactsOptions {
  /** Catalogues with more tools are stored as a document, and the event names it. 200 unless given. */
  readonly maxTools?: number;
}

interface FactsSettings {
  readonly max_tools?: number;
}

const SETTINGS = objectOf<FactsSettings>({
  max_tools: optional(
    wholeNumberFrom(0),
    "Catalogues with more tools are stored as a document, and the event names it. 200 unless given.",
  ),
});

const MAX_TOOLS = 200;
/** The kind of the documents with large catalogues. */
const CATALOGUES = "tool_catalog";
const MAX_FILES = 50;

/** The catalogue of the last fact in this run, as a digest. */
const told: StateDefinition<{ readonly catalog: string }> & ActionCreators<{ catalog: [digest: string] }> = defineState(
  {
    path: "facts_told",
    scope: "run",
    initial: () => ({ catalog: "" }),
    actions: { catalog: (_, digest: string) => ({ catalog: digest }) },
  },
);

/**
 * Tells facts that a run does not tell by itself: the tools the model knows (`tool_catalog_resolved`, when they change), and for every request
 * what the model reads (`context_resolved` with the thread, the agent's instructions and the files of the conversation).
 */
export function facts(options: FactsOptions = {}): Plugin {
  const settings = definePluginSettings(ID, SETTINGS, options);
  return definePlugin({
    id: ID,
    sections: settings.sections,
    findSectionProblem: settings.findSectionProblem,
    states: [told],
    hooks: {
      beforeInference: ({ threadId, agentId, messages }) => [
        noteContext({
          refs: [
            { kind: "session", ref: `thread:${threadId}` },
            { kind: "instruction", ref: `agent:${agentId}` },
            ...filesOf(messages),
          ],
        }),
      ],
      afterInference: (context) => tellCatalogue(context, settings.read(context).max_tools ?? MAX_TOOLS),
    },
  });
}

/** The files of a conversation, each once; of very many the last ones. */
function filesOf(messages: readonly Message[]): readonly ContextRef[] {
  const refs = new Map<string, ContextRef>();
  for (const { content } of messages) {
    for (const part of typeof content === "string" ? [] : content) {
      if (part.type !== "image" && part.type !== "file") continue;
      // The bytes of a `data:` address are no reference.
      if (part.url.startsWith("data:")) continue;
      const title = part.filename === undefined ? {} : { title: part.filename };
      refs.set(part.url, { kind: "file", ref: part.url, ...title });
    }
  }
  return [...refs.values()].slice(-MAX_FILES);
}

type CatalogueActions = readonly PhaseAction<"emit" | "state">[];

function tellCatalogue(context: AfterInferenceContext, maxTools: number): CatalogueActions | Promise<CatalogueActions> {
  const { digest, entries } = describeCatalogue(context.tools, context.excludedTools, context.pluginOf);
  if (context.state.get(told).catalog === digest) return [];
  const count = entries.length;
  const note = changeState(told.catalog(digest));
  if (count <= maxTools) return [emitEvent("tool_catalog_resolved", { count, digest, tools: entries }), note];
  const tell = (): CatalogueActions => {
    const tools_ref = `document:${CATALOGUES}/${digest}`;
    return [emitEvent("tool_catalog_resolved", { count, digest, tools: [], tools_ref }), note];
  };
  // Its name says what it holds: one that is there already is the same. Entries are made of JSON; their interface hides it.
  return context
    .documents(CATALOGUES)
    .save(digest, entries as unknown as Json, 0)
    .then(tell);
}
