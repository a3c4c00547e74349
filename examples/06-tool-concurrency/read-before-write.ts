import { blockCall, changeState, definePlugin, defineState, defineTool, type Plugin, type Tool } from "reprise";
import { getAt } from "reprise/state";
import { z } from "zod";

/** Files that others change too. A version is what tells one content from another. */
export class Folder {
  readonly #files = new Map<string, { text: string; version: number }>();

  write(path: string, text: string): number {
    const version = (this.#files.get(path)?.version ?? 0) + 1;
    this.#files.set(path, { text, version });
    return version;
  }

  read(path: string): { readonly text: string; readonly version: number } {
    return this.#files.get(path) ?? { text: "", version: 0 };
  }
}

/** Which version of each file the agent knows. Part of the thread: it survives crashes, and a rewind takes it back. */
const known = defineState({
  path: "known_files",
  initial: (): Record<string, number> => ({}),
  actions: { note: (versions, path: string, version: number) => ({ ...versions, [path]: version }) },
});

export function fileTools(folder: Folder): readonly Tool[] {
  const path = z.string();
  return [
    defineTool({
      id: "read_file",
      description: "Reads a file.",
      class: "read_only",
      inputSchema: z.object({ path }),
      execute: ({ path }) => folder.read(path),
    }),
    defineTool({
      id: "write_file",
      description: "Replaces a file. Read it first.",
      inputSchema: z.object({ path, text: z.string() }),
      execute: ({ path, text }) => ({ version: folder.write(path, text) }),
    }),
  ];
}

/** The rule, for every tool that writes: read a file before you overwrite it. */
export function readBeforeWrite(folder: Folder): Plugin {
  return definePlugin({
    id: "read_before_write",
    states: [known],
    hooks: {
      async beforeToolExecute(context) {
        if (context.tool.class === "read_only") return undefined;
        const path = String(getAt(context.call.arguments, ["path"]));
        // The folder is the world, not the thread: what it said is kept with the run.
        const current = await context.record("version", () => folder.read(path).version);
        const seen = context.state.get(known)[path] ?? 0;
        if (seen === current) return undefined;
        return [
          blockCall(seen === 0 ? `Read ${path} first.` : `${path} has changed since you read it. Read it again.`),
        ];
      },
      afterToolExecute({ call, result, outcome }) {
        const path = String(getAt(call.arguments, ["path"]));
        const version = getAt(result.data, ["version"]); // who reads it knows it, and so does who wrote it
        return outcome === "succeeded" ? [changeState(known.note(path, Number(version)))] : undefined;
      },
    },
  });
}
