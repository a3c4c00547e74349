import { isPlainObject } from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";
import type { EnvReference, ProviderConfig } from "./config.ts";
import type { ConfigPorts } from "./config-ports.ts";

export const REDACTED = "[redacted]";

/** A text that may be in the environment; undefined when the variable is not set, or empty. */
export function readSecret(secret: string | EnvReference, variable: ConfigPorts["variable"]): string | undefined {
  return (typeof secret === "string" ? secret : variable(secret.name)) || undefined;
}

/** Every secret a provider's entry holds itself. */
export function secretsIn({ auth, headers = {} }: ProviderConfig): readonly string[] {
  return [...(auth?.kind === "token" ? [auth.value] : []), ...Object.values(headers)].filter((text) => text !== "");
}

/** Removes secrets from a foreign text. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}

/** Texts under such names are secrets everywhere, because the content of plugin sections is unknown. */
const SECRET_NAME = /(?:secret|token|password|passwd|api_?key|private_?key|authorization|credentials?)$/i;
/** `scheme://user:password@host`. */
const USER_IN_URL = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s]*@/i;
/** A name ends where the next one may begin: otherwise each of many question marks would be read to the end. */
const SECRET_IN_QUERY = /([?&][^=&?]*(?:secret|token|password|key)=)[^&#]*/gi;

/** A configuration, or a part of it, that can be shown: without credentials. */
export function redact(value: Json, key = ""): Json {
  if (typeof value === "string") return redactText(value, key);
  if (Array.isArray(value)) return value.map((item: Json) => redact(item, key));
  if (!isPlainObject(value)) return value;
  // Of an authentication, the method and the names are shown.
  const { kind } = value;
  const isProof = key === "auth" && typeof kind === "string";
  return Object.fromEntries(
    Object.entries(value as { readonly [key: string]: Json })
      .filter(([name]) => !isProof || name === "kind" || name === "name")
      .map(([name, entry]) => [name, key === "headers" ? REDACTED : redact(entry, name)]),
  );
}

function redactText(text: string, key: string): string {
  if (SECRET_NAME.test(key)) return REDACTED;
  return text.replace(USER_IN_URL, `$1${REDACTED}@`).replace(SECRET_IN_QUERY, `$1${REDACTED}`);
}
