import { isJson, type Json, parseJson } from "@reprise/state";
import { copyJson } from "./copy-json.ts";

export type ParsedArguments =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly value: Json; readonly problem: string };

const RESERVED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Reads the arguments a model wrote. Strict: half a JSON text is no arguments, and keys that could reach a prototype in a
 * tool's code are refused. What cannot be read is kept as text, so that the thread shows what was said.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === "") return { ok: true, value: {} };
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return { ok: false, value: text.toWellFormed(), problem: "the arguments are not valid JSON" };
  }
  if (!isJson(value)) return { ok: false, value: text.toWellFormed(), problem: "the arguments nest too deep" };
  const reserved = SUSPICIOUS.test(text) ? findReservedKey(value) : undefined;
  const formed = SUSPICIOUS.test(text) ? copyJson(value) : value;
  if (reserved === undefined) return { ok: true, value: formed };
  return { ok: false, value: formed, problem: `the key ${JSON.stringify(reserved)} is not allowed in arguments` };
}

/** Texts that may hold a reserved key; with an escape in it a key can be spelt in many ways. */
const SUSPICIOUS = /__proto__|constructor|prototype|\\u/;

/** The first key, at any depth, that could reach a prototype in a tool's code. */
export function findReservedKey(value: Json): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = !Array.isArray(value) && RESERVED.has(key) ? key : findReservedKey(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
