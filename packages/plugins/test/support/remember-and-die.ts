// Runs an agent that remembers something on a SQLite file, and is killed right after the note is stored and before the run commits.
import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { defineRememberingAgent } from "./remembering-agent.ts";

const [file = ""] = process.argv.slice(2);
const store = await openSqliteStore({ file });
const dying = new Proxy(store, {
  get: (target, key) => {
    if (key === "forTenant") return (tenant: string) => killAfterSave(target.forTenant(tenant));
    const value: unknown = Reflect.get(target, key);
    return typeof value === "function" ? value.bind(target) : value;
  },
});

function killAfterSave<Tenant extends object>(tenant: Tenant): Tenant {
  return new Proxy(tenant, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      if (key !== "saveDocument") return value.bind(target);
      return async (...given: readonly unknown[]) => {
        await value.apply(target, given);
        process.kill(process.pid, "SIGKILL");
        await new Promise(() => undefined);
      };
    },
  });
}

const agent = defineRememberingAgent();
const runtime = await createRuntime({
  agents: [agent],
  env: createNodeEnv(),
  store: dying,
  blobs: store.blobs,
  instanceId: "one",
});
await runtime.runToCompletion({ agent: "agent", threadId: "t1", resourceId: "ada", input: "I like tea." });
