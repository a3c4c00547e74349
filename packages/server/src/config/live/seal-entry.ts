import { RepriseError } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { type Json, type JsonObject, parseJson } from "@reprise/state";
import { redact } from "../secrets.ts";
import type { ConfigKind } from "./stored-entries.ts";

/** Which entry is sealed. A sealed body opens under this name only, so it cannot be moved to another entry. */
export interface EntryName {
  readonly kind: ConfigKind;
  readonly id: string;
}

/** Keeps entries with secrets from those who can read the store. */
export interface EntrySealer {
  /** Undefined when there is no key. */
  readonly seal: ((name: EntryName, body: JsonObject) => Promise<JsonObject>) | undefined;
  /** The body as it was given. Throws `CONFIG_INVALID` when it was sealed with another key. */
  open(name: EntryName, stored: JsonObject): Promise<JsonObject>;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/** AES-256-GCM with a key of 32 bytes in base64. Without one nothing is sealed, and what is sealed stays so. */
export async function createSealer(secretKey: string | undefined): Promise<EntrySealer> {
  if (secretKey === undefined) return { seal: undefined, open: async (_, stored) => openWithout(stored) };
  const key = await crypto.subtle.importKey("raw", readKey(secretKey), "AES-GCM", false, ["encrypt", "decrypt"]);
  return {
    seal: async (name, body) => {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const text = new TextEncoder().encode(JSON.stringify(body));
      const sealed = await crypto.subtle.encrypt(parametersOf(name, nonce), key, text);
      return { sealed: { nonce: toBase64(nonce), content: toBase64(new Uint8Array(sealed)) } };
    },
    open: async (name, stored) => {
      const parts = sealedParts(stored);
      if (parts === undefined) return stored;
      try {
        const parameters = parametersOf(name, fromBase64(parts.nonce));
        const text = await crypto.subtle.decrypt(parameters, key, fromBase64(parts.content));
        // What was sealed was an object.
        return parseJson(new TextDecoder().decode(text)) as JsonObject;
      } catch (cause) {
        throw new RepriseError("CONFIG_INVALID", "is sealed with another key than this server's", { cause });
      }
    },
  };
}

/** Whether an entry holds anything that is not shown. */
export function holdsSecrets(body: JsonObject): boolean {
  return JSON.stringify(redact(body)) !== JSON.stringify(body);
}

function openWithout(stored: JsonObject): JsonObject {
  if (sealedParts(stored) === undefined) return stored;
  throw new RepriseError("CONFIG_INVALID", "is sealed, and this server has no key");
}

/** No entry that was checked has this field. */
function sealedParts({ sealed }: JsonObject): { readonly nonce: string; readonly content: string } | undefined {
  if (!isPlainObject(sealed)) return undefined;
  const { nonce, content } = sealed as { readonly [key: string]: Json };
  return typeof nonce === "string" && typeof content === "string" ? { nonce, content } : undefined;
}

function parametersOf({ kind, id }: EntryName, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(`${kind}/${id}`) };
}

function readKey(text: string): Uint8Array<ArrayBuffer> {
  const bytes = /^[A-Za-z0-9+/]{43}=$/.test(text.trim()) ? fromBase64(text.trim()) : new Uint8Array();
  if (bytes.byteLength === KEY_BYTES) return bytes;
  const message = "The secret key must be 32 bytes in base64, as `openssl rand -base64 32` prints them.";
  throw new RepriseError("CONFIG_INVALID", message);
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
