import { invalidRequest } from "@reprise/contracts";
import { parseJson } from "@reprise/state";
import { freezeDeep } from "./freeze-deep.ts";

/** JSON, and `INVALID_REQUEST` for what would silently be left out of it. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (typeof part !== "function" && typeof part !== "symbol" && typeof part !== "bigint") return part;
    throw invalidRequest(`Cannot store ${JSON.stringify(key)}: a ${typeof part} is no data.`);
  });
}

/** The value that JSON stands for. It belongs to the tables, and no caller can change it. */
export function fromJson(text: string): unknown {
  return freezeDeep(parseJson(text));
}
