import type { McpTool } from "@reprise/protocols/mcp";
import type { TenantRuntime } from "@reprise/runtime";
import type { McpServing, McpToolLists } from "../host/server-host.ts";
import { listMcpTools } from "./mcp-caller.ts";

/** How often the list is looked at while a client listens. Definitions and the tools of plugins change without telling the server. */
const LOOK_MS = 1_000;

/** Says when the tools that clients see are no longer the same. It looks only while a client listens. */
export interface ToolListWatch {
  /** Calls the listener after each change. Returns the way to stop. */
  subscribe(listener: () => void): () => void;
}

export function createToolListWatch(list: () => readonly McpTool[], lookMs: number = LOOK_MS): ToolListWatch {
  const listeners = new Set<() => void>();
  let known = "";
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = JSON.stringify(list());
    if (now === known) return;
    known = now;
    for (const listener of [...listeners]) listener();
  };
  return {
    subscribe(listener) {
      if (listeners.size === 0) {
        known = JSON.stringify(list());
        timer = setInterval(look, lookMs);
        timer.unref();
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearInterval(timer);
      };
    },
  };
}

/** The watches of a server: one for each tenant whose clients listen, however many those are. */
export class ToolListWatches implements McpToolLists {
  readonly #serving: McpServing;
  readonly #watches = new Map<string, { readonly watch: ToolListWatch; listeners: number }>();

  constructor(serving: McpServing) {
    this.#serving = serving;
  }

  subscribe(runtime: TenantRuntime, listener: () => void): () => void {
    const { tenant } = runtime;
    const kept = this.#watches.get(tenant) ?? {
      watch: createToolListWatch(() => listMcpTools({ runtime, serving: this.#serving })),
      listeners: 0,
    };
    this.#watches.set(tenant, kept);
    kept.listeners += 1;
    const stop = kept.watch.subscribe(listener);
    return () => {
      stop();
      kept.listeners -= 1;
      if (kept.listeners === 0) this.#watches.delete(tenant);
    };
  }
}
