import type { Json, JsonObject } from "@reprise/state";
import { findOversize } from "../json/bounded-json.ts";
import { needed, objectOf, openObjectOf, optional } from "../shape/object-shape.ts";
import { listOf, narrowed, recordOf, type Shape, text, textLike, unchecked } from "../shape/shape.ts";

/** A tool that the client of a run executes. A call of it is suspended until the client sends the result. */
export interface FrontendTool {
  readonly id: string;
  readonly description: string;
  /** JSON Schema of the arguments; any object unless given. */
  readonly parameters?: JsonObject;
}

/** Something the client tells the model for one run: the open page, the selected row. */
export interface FrontendContext {
  readonly description: string;
  readonly value: string;
}

const MAX_TOOLS = 128;
const MAX_CONTEXT = 128;
const MAX_BYTES = 131_072;

const TOOL: Shape<FrontendTool> = openObjectOf<FrontendTool>({
  id: needed(textLike("1 to 128 letters, digits or _ . : -", "^[A-Za-z0-9_.:-]{1,128}$")),
  description: needed(text),
  parameters: optional(recordOf(unchecked<Json>())),
});

const ENTRY: Shape<FrontendContext> = objectOf<FrontendContext>({ description: needed(text), value: needed(text) });

export const FRONTEND_TOOLS: Shape<readonly FrontendTool[]> = narrowed(
  listOf(TOOL, MAX_TOOLS),
  (tools) => findRepeated(tools) ?? findExcess(tools),
);

export const FRONTEND_CONTEXT: Shape<readonly FrontendContext[]> = narrowed(listOf(ENTRY, MAX_CONTEXT), findExcess);

function findRepeated(tools: Json): string | undefined {
  const ids = Array.isArray(tools) ? tools.map((tool: Json) => (tool as { readonly id?: Json }).id) : [];
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  return repeated === undefined ? undefined : `two tools have the id ${JSON.stringify(repeated)}`;
}

function findExcess(value: Json): string | undefined {
  const bytes = findOversize(value, MAX_BYTES);
  return bytes === undefined ? undefined : `at most ${MAX_BYTES} bytes as JSON are taken (got ${bytes})`;
}
