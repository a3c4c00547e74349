import {
  EFFECT_ACTIONS,
  type EffectAction,
  type PhaseAction,
  type ToolCallRecord,
  type ToolEffect,
} from "@reprise/contracts";
import { findNearest, isPlainObject } from "@reprise/contracts/shape";
import { isJson } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import { sayKnown } from "../resolve/resolve-errors.ts";
import type { InstalledPlugins, Owned } from "../resolve/resolved-agent.ts";
import { assertQueued } from "../thread/assert-message.ts";
import { frameText } from "../thread/frame-text.ts";
import type { Gathered } from "./tool-context.ts";

/** A tool returned actions that it may not return. The call fails with this message and nothing of the effect is done. */
export class InvalidEffect extends Error {
  override readonly name = "InvalidEffect";
}

/** Something a tool asks of a plugin, with the plugin that registered it. */
export type PluginRequest = Owned<PhaseAction<"schedule" | "effect">>;

/** The action types that reach plugins, and where their keys are registered. */
type Keyed = Pick<InstalledPlugins, "scheduled" | "effects">;

/** A handoff as a tool or a plugin asks for it. */
export type AskedHandoff = Omit<PhaseAction<"hand_off">, "type">;

/** What a tool wants to become of the run after the round. */
interface RunWishes {
  readonly terminate?: string;
  readonly handoff?: AskedHandoff;
}

/** Takes the actions of an effect in; returns what it asks for the run itself. */
export function readEffect(
  { tool_id: tool, call_id }: ToolCallRecord,
  { actions }: ToolEffect,
  gathered: Gathered,
  env: Keyed,
): RunWishes {
  // Tools come from anywhere, also from code without types.
  if (!Array.isArray(actions))
    throw new InvalidEffect(`Tool ${tool} returned an effect whose actions are not an array.`);
  let terminate: string | undefined;
  let handoff: AskedHandoff | undefined;
  for (const action of actions.map((given) => assertKnown(tool, given))) {
    switch (action.type) {
      case "state":
        if (action.call_id !== undefined && action.call_id !== call_id) {
          throw new InvalidEffect(`Tool ${tool} changes state of the call ${action.call_id}, which is not its own.`);
        }
        gathered.state.apply(action.action);
        break;
      case "add_user_message":
        assertQueued(action.message);
        gathered.messages.push(action.message);
        break;
      case "add_system_reminder": {
        const content = frameText("reminder", `tool:${tool}`, String(action.text));
        gathered.messages.push({ role: "user", content, visibility: "internal" });
        break;
      }
      case "terminate":
        terminate = action.reason ?? "";
        break;
      case "hand_off":
        handoff = readHandoff(tool, action);
        break;
      case "schedule":
      case "effect":
        gathered.requests.push(readRequest(tool, action, env));
        break;
      default:
        action satisfies never;
    }
  }
  return { ...(terminate !== undefined && { terminate }), ...(handoff !== undefined && { handoff }) };
}

function readHandoff(tool: string, { agent_id, message, max_handoffs }: PhaseAction<"hand_off">): AskedHandoff {
  const isText = typeof agent_id === "string" && agent_id !== "" && ["string", "undefined"].includes(typeof message);
  const isLimit = max_handoffs === undefined || Number.isSafeInteger(max_handoffs);
  if (!isText || !isLimit) {
    throw new InvalidEffect(
      `Tool ${tool} returned a handoff without an agent_id, or with a message or limit of another type.`,
    );
  }
  return {
    agent_id,
    ...(message !== undefined && { message: message.toWellFormed() }),
    ...(max_handoffs !== undefined && { max_handoffs }),
  };
}

function assertKnown(tool: string, action: unknown): EffectAction {
  const type = isPlainObject(action) ? action.type : undefined;
  // Of a known type; what is in it is looked at where it is used.
  if (EFFECT_ACTIONS.some((known) => known === type)) return action as EffectAction;
  const nearest = typeof type === "string" ? findNearest(type, EFFECT_ACTIONS) : undefined;
  const hint = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  const given = type === undefined ? "an action without a type" : `an action of the type ${JSON.stringify(type)}`;
  throw new InvalidEffect(`Tool ${tool} returned ${given}. A tool may return ${EFFECT_ACTIONS.join(", ")}.${hint}`);
}

function readRequest(tool: string, action: PluginRequest["value"], { scheduled, effects }: Keyed): PluginRequest {
  const [what, known] = action.type === "schedule" ? ["a scheduled action", scheduled] : ["an effect", effects];
  const { type, key, payload = null } = action;
  const plugin = known.get(key)?.plugin;
  if (plugin === undefined) {
    const problem = `Tool ${tool} asks for ${what} ${JSON.stringify(key)}, which no plugin of the agent registers.`;
    throw new InvalidEffect(`${problem}${sayKnown(String(key), [...known.keys()])}`);
  }
  if (!isJson(payload)) throw new InvalidEffect(`Tool ${tool} asks for ${what} with a payload that is not JSON.`);
  return { plugin, value: { type, key, payload: copyJson(payload) } };
}
