import { RepriseError, type Store } from "@reprise/contracts";
import { toStoredKeys } from "@reprise/contracts/shape";
import { scriptedModel } from "@reprise/models";
import { type Agent, defineAgent, definePlugin, defineTool, type Runtime } from "@reprise/runtime";
import type { Authenticate, PreviewPermission } from "@reprise/server";
import { failCommits } from "../../../runtime/test/support/intercept-store.ts";
import { carelessError } from "./careless-words.ts";
import { PLANTED } from "./planted-secrets.ts";

/** For each planted credential an agent whose tool, one whose model and one whose plugin throws it. */
export function carelessAgents(): readonly Agent[] {
  const calling = scriptedModel(({ messages }) => (messages.at(-1)?.role === "tool" ? "Done." : [{ call: "call" }]));
  return PLANTED.flatMap((_, index) => {
    const fail = (who: "tool" | "model" | "plugin") => (): never => {
      throw carelessError(who, index);
    };
    const execute = fail("tool");
    const call = defineTool({ id: "call", description: "Fails.", idempotent: true, execute });
    const next = async (): Promise<never> => fail("model")();
    const broken = { id: `broken-${index}`, stream: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) };
    const careless = definePlugin({ id: `careless-${index}`, hooks: { beforeInference: fail("plugin") } });
    return [
      defineAgent({ id: `tool-${index}`, model: calling, tools: [call] }),
      defineAgent({ id: `model-${index}`, model: broken }),
      defineAgent({ id: `plugin-${index}`, model: scriptedModel(["Hello."]), plugins: [careless] }),
    ];
  });
}

/** Which credential a name asks for: `lost-7` the seventh. */
function indexIn(name: string | null | undefined, before: string): number | undefined {
  const [, index] = new RegExp(`^${before}-(\\d+)$`).exec(name ?? "") ?? [];
  return index === undefined ? undefined : Number(index);
}

/** A store that fails once to commit the end of a run on each thread `lost-<index>`. */
export function carelessStore(store: Store): Store {
  const failed = new Set<number>();
  return failCommits(store, (_, { thread_id, reasons }) => {
    const index = indexIn(thread_id, "lost");
    if (index === undefined || failed.has(index) || !reasons.includes("run_finished")) return undefined;
    failed.add(index);
    return carelessError("commit", index);
  });
}

/** The same thing, with some of its methods in other hands. */
function overlaid<Thing extends object>(inner: Thing, methods: Partial<Thing>): Thing {
  return new Proxy(inner, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      // Its own methods look for what is private to it in itself, not in the proxy.
      const value: unknown = Reflect.get(inner, name, inner);
      return typeof value === "function" ? value.bind(inner) : value;
    },
  });
}

/** A runtime that cannot list the runs of threads `broken-<index>` and `unavailable-<index>`; after `unready-<index>`, of none, once. */
export function carelessRuntime(runtime: Runtime): Runtime {
  let unready: number | undefined;
  const runsOf = (inner: Pick<Runtime, "runs">): Pick<Runtime, "runs"> => ({
    async runs(filter = {}) {
      const { thread_id } = toStoredKeys(filter);
      const unavailable = indexIn(thread_id, "unavailable") ?? unready;
      const broken = indexIn(thread_id, "broken");
      unready = indexIn(thread_id, "unready");
      if (broken !== undefined) throw carelessError("broken", broken);
      if (unavailable === undefined) return inner.runs(filter);
      const error = carelessError("unavailable", unavailable);
      const options = { details: { said: error.message }, cause: error };
      throw new RepriseError("STORE_UNAVAILABLE", error.message, options);
    },
  });
  const forTenant: Runtime["forTenant"] = (tenant) => {
    const inner = runtime.forTenant(tenant);
    return overlaid(inner, runsOf(inner));
  };
  return overlaid(runtime, { ...runsOf(runtime), forTenant });
}

/** Knows nobody, and fails for who says so. */
export const carelessAuthenticate: Authenticate = async (headers) => {
  const index = indexIn(headers.get("x-careless"), "authenticate");
  if (index !== undefined) throw carelessError("authenticate", index);
  return undefined;
};

/** Fails for the tools of careless agents. */
export const carelessPreview: PreviewPermission = ({ agent_id }) => {
  const index = indexIn(agent_id, "tool");
  if (index !== undefined) throw carelessError("preview", index);
  return { decision: "allow", source: "nobody careless" };
};
