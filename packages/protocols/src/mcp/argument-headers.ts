import type { Json, JsonObject } from "@reprise/state";
import type { McpHeaders } from "./decode-message.ts";
import { decodeHeader } from "./header-value.ts";
import { isObject } from "./json-rpc.ts";

/** The keyword of a schema that wants a property repeated in a header, so that proxies can route by it. */
const KEYWORD = "x-mcp-header";
const PREFIX = "mcp-param-";
/** What HTTP allows for the name of a header. Clients leave tools out that ask for any other. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Says which header of a call (2026-07-28) does not repeat the argument that the schema of its tool names for it. */
export function findArgumentMismatch(
  { properties }: JsonObject,
  given: Json | undefined,
  headers: McpHeaders,
): string | undefined {
  const values = isObject(given) ? given : {};
  for (const [key, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(property)) continue;
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    const name = property[KEYWORD];
    if (typeof name === "string" && TOKEN.test(name) && !isRepeated(headers.get(`${PREFIX}${name}`), value))
      return `The header Mcp-Param-${name} must repeat the argument ${key}.`;
    const below = findArgumentMismatch(property, value, headers);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** Whether a header says what an argument is. There is none for an argument that is absent, null, or more than a text, a number or a flag. */
function isRepeated(header: string | null, value: Json | undefined): boolean {
  if (value === undefined || value === null || typeof value === "object") return header === null;
  const text = decodeHeader(header);
  if (typeof value === "number") return text !== undefined && text !== "" && Number(text) === value;
  return text === String(value);
}
