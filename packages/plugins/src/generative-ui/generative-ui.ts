import {
  addSessionContext,
  changeState,
  emitEvent,
  type Message,
  type Plugin,
  type Tool,
  ToolError,
  transformRequest,
} from "@reprise/contracts";
import { objectOf, optional, wholeNumberFrom } from "@reprise/contracts/shape";
import { definePlugin, defineTool } from "@reprise/runtime";
import { defineState, type Json, type JsonObject } from "@reprise/state";
import { definePluginSettings, type PluginSettings } from "../settings/plugin-settings.ts";
import { decodeMessages, encodeSurface } from "./a2ui-0-9-1.ts";
import { type A2uiCatalog, basicCatalog, basicCatalogRules, createCatalogRules, isObject } from "./a2ui-schemas.ts";
import { walkComponents } from "./component-graph.ts";
import { describeCatalog } from "./describe-catalog.ts";
import { changeSurfaces, SurfaceProblem, type SurfaceRules, type Surfaces } from "./surfaces.ts";
import { describeUiEvent, findActionProblem, readUiEvent } from "./ui-events.ts";

export interface GenerativeUiOptions {
  /** How many surfaces a thread may have at a time. 20 unless given. */
  readonly maxSurfaces?: number;
  /** How many components a surface may have. 500 unless given. */
  readonly maxComponents?: number;
  /** How large a surface may be, its data included. 256 KiB unless given. */
  readonly maxSurfaceBytes?: number;
  /** Catalogs of components beside A2UI's basic catalog. Only in code. */
  readonly catalogs?: readonly A2uiCatalog[];
}

interface Settings {
  readonly max_surfaces?: number;
  readonly max_components?: number;
  readonly max_surface_bytes?: number;
}

const SHAPE = objectOf<Settings>({
  max_surfaces: optional(wholeNumberFrom(1)),
  max_components: optional(wholeNumberFrom(1)),
  max_surface_bytes: optional(wholeNumberFrom(1)),
});

const PLUGIN = "generative_ui";
const RENDER = "render_a2ui";

/** The surfaces that the agent shows, by id. */
const surfaces = defineState({
  path: "generative_ui.surfaces",
  initial: (): Surfaces => ({}),
  actions: { set: (_, next: Surfaces) => next },
});

/** The newest UI event and why it does not count, if so. Looked at once: surfaces change while the run acts on the event. */
const newestEvent = defineState({
  path: "generative_ui.event",
  scope: "run",
  initial: (): { message_id: string; problem: string | null } => ({ message_id: "", problem: null }),
  actions: { note: (_, message_id: string, problem: string | null) => ({ message_id, problem }) },
});

/** Lets an agent show user interfaces with A2UI, and hear what users do on them. */
export function generativeUi(options: GenerativeUiOptions = {}): Plugin {
  const { catalogs = [], ...given } = options;
  const settings = definePluginSettings(PLUGIN, SHAPE, given);
  const problem = findSetupProblem();
  return definePlugin({
    id: PLUGIN,
    sections: settings.sections,
    states: [surfaces, newestEvent],
    tools: problem === undefined ? [createRenderTool(settings, catalogs)] : [],
    // Hosts install every plugin, and most show no interfaces: only an agent that names the plugin hears what is missing.
    ...(problem !== undefined && {
      onActivate: () => {
        throw problem;
      },
    }),
    hooks: {
      stepStart({ messages, state }) {
        const message = newestInput(messages);
        if (message === undefined || state.get(newestEvent).message_id === message.id) return undefined;
        const event = readUiEvent(message);
        if (event === undefined) return undefined;
        const problem = findActionProblem(event, state.get(surfaces)) ?? null;
        return [changeState(newestEvent.note(message.id, problem))];
      },
      beforeInference({ messages, state }) {
        if (!messages.some((message) => readUiEvent(message) !== undefined)) return undefined;
        const { message_id, problem } = state.get(newestEvent);
        const isNewest = newestInput(messages)?.id === message_id;
        return [
          transformRequest((request) => ({ ...request, messages: request.messages.map(inWords) })),
          ...(problem !== null && isNewest
            ? [addSessionContext(`The last UI event does not count: ${problem}. Do not act on it; tell the user.`)]
            : []),
        ];
      },
      afterToolExecute({ call, outcome, result, state }) {
        if (call.toolId !== RENDER || outcome !== "succeeded") return undefined;
        const shown = state.get(surfaces);
        return changedIds(result.data).map((id) =>
          emitEvent("activity_snapshot", {
            message_id: `a2ui-surface-${id}`,
            activity_type: "a2ui-surface",
            content: { a2ui_operations: encodeSurface(id, Object.hasOwn(shown, id) ? shown[id] : undefined) },
            replace: true,
          }),
        );
      },
    },
  });
}

/** The reason why nothing can be shown; undefined when there is none. */
function findSetupProblem(): unknown {
  try {
    basicCatalog();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The surfaces of a thread's state as A2UI messages, for a page that is loaded later than they were shown. */
export function encodeSurfaces(state: Json): readonly JsonObject[] {
  return Object.entries(surfaces.read(state)).flatMap(([id, surface]) => encodeSurface(id, surface));
}

function newestInput(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role, visibility }) => role === "user" && visibility !== "internal");
}

function inWords(message: Message): Message {
  const event = readUiEvent(message);
  return event === undefined ? message : { ...message, content: describeUiEvent(event) };
}

function changedIds(data: Json): readonly string[] {
  const changed = isObject(data) ? data.surfaces : undefined;
  return Array.isArray(changed) ? changed.flatMap((each) => (isObject(each) ? [String(each.surface_id)] : [])) : [];
}

const MOST_MESSAGES = 100;

function createRenderTool(settings: PluginSettings<Settings>, catalogs: readonly A2uiCatalog[]): Tool {
  const known = [basicCatalog(), ...catalogs];
  const described = known.map(describeCatalog).join("\n\n");
  const own = catalogs.map(createCatalogRules);
  const rulesFor = (section: Settings): SurfaceRules => {
    const { max_surfaces = 20, max_components = 500, max_surface_bytes = 262_144 } = section;
    return {
      catalogs: new Map([basicCatalogRules(), ...own].map((rules) => [rules.id, rules])),
      limits: { maxSurfaces: max_surfaces, maxComponents: max_components, maxSurfaceBytes: max_surface_bytes },
    };
  };
  return defineTool({
    id: RENDER,
    description: `Shows user interfaces to the user with A2UI, and updates them. ${HOW_TO}\n\n${described}`,
    inputSchema: {
      type: "object",
      properties: { messages: { type: "array", minItems: 1, maxItems: MOST_MESSAGES, items: { type: "object" } } },
      required: ["messages"],
      additionalProperties: false,
    },
    // It changes nothing but the state, which is stored with its result.
    idempotent: true,
    execute({ messages }: { readonly messages: readonly Json[] }, context) {
      const rules = rulesFor(settings.read(context));
      try {
        const changes = decodeMessages(messages, (id) => rules.catalogs.get(id) ?? basicCatalogRules());
        const next = changeSurfaces(context.state.get(surfaces), changes, rules);
        context.state.apply(surfaces.set(next));
        const ids = [...new Set(changes.map(({ surfaceId }) => surfaceId))];
        return { surfaces: ids.map((id) => summarise(id, next, rules)) };
      } catch (error) {
        if (error instanceof SurfaceProblem) throw new ToolError("invalid_arguments", error.message, { cause: error });
        throw error;
      }
    },
  });
}

const HOW_TO = `Each message has "version": "v0.9" and exactly one of createSurface {surfaceId, catalogId, theme?}, updateComponents {surfaceId, components}, updateDataModel {surfaceId, path, value} and deleteSurface {surfaceId}. Create a surface first. Components are a flat list; each has a unique id and names its children by id; the top has the id "root". A value can be bound to the data model: {"path": "/name"}. An action {"event": {"name": "book", "context": {"date": {"path": "/date"}}}} comes back as the user's next message.`;

const MOST_MISSING = 10;

/** The tool result for the model. It names missing components, because components may come in several messages. */
function summarise(id: string, all: Surfaces, { catalogs }: SurfaceRules): JsonObject {
  const surface = Object.hasOwn(all, id) ? all[id] : undefined;
  if (surface === undefined) return { surface_id: id, deleted: true };
  const { components, catalog_id } = surface;
  const rules = catalogs.get(catalog_id);
  const missing = rules === undefined ? [] : walkComponents(rules, components).missing;
  const lacking = Object.hasOwn(components, "root") ? missing : ["root", ...missing];
  return {
    surface_id: id,
    components: Object.keys(components).length,
    ...(lacking.length > 0 && { missing_components: lacking.slice(0, MOST_MISSING) }),
  };
}
