import type { WorkContext } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import type { NodeScope } from "../node/node-executor.ts";
import { loadValue } from "./stored-values.ts";
import type { StoredValue } from "./workflow-state.ts";

/** What a node sees, as it is stored: values may lie elsewhere. */
export interface StoredScope {
  readonly inputs: JsonObject;
  readonly ctx: JsonObject;
  readonly outputs: ReadonlyMap<string, StoredValue>;
  readonly locals: ReadonlyMap<string, StoredValue>;
}

/** Loads what a node sees. */
export async function loadScope(blobs: Pick<WorkContext, "getBlob">, stored: StoredScope): Promise<NodeScope> {
  const [outputs, locals] = await Promise.all([loadAll(blobs, stored.outputs), loadAll(blobs, stored.locals)]);
  return { inputs: stored.inputs, ctx: stored.ctx, outputs, locals };
}

async function loadAll(
  blobs: Pick<WorkContext, "getBlob">,
  values: ReadonlyMap<string, StoredValue>,
): Promise<{ readonly [key: string]: Json }> {
  const loaded: [string, Json][] = [];
  for (const [key, value] of values) loaded.push([key, await loadValue(blobs, value)]);
  return Object.fromEntries(loaded);
}
