/**
 * Loaded before anything else in a worker with a plant that changes sources: `node --import change-sources.ts …`.
 * Threads of the worker load it too.
 */
import { registerHooks } from "node:module";
import { plantNamed } from "./table.ts";

const changes = plantNamed(process.env.REPRISE_CHAOS_PLANT)?.changes ?? [];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const own = changes.filter(({ file }) => url.endsWith(file));
    if (own.length === 0 || loaded.source == null) return loaded;
    let source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
    for (const { file, from, to } of own) {
      if (!source.includes(from)) throw new Error(`The plant no longer fits ${file}: ${from}`);
      source = source.replace(from, to);
    }
    return { ...loaded, source };
  },
});
