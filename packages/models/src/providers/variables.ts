import { RepriseError, Secret } from "@reprise/contracts";

/** Variables of the environment, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The value of a variable; one that is empty or blank is not set. */
export function readVariable(variables: Variables, name: string): string | undefined {
  return variables[name]?.trim() || undefined;
}

/** A key from the environment. Throws `PROVIDER_NOT_READY` when it is not set. */
export function readKey(variables: Variables, name: string, model: string): Secret {
  const key = readVariable(variables, name);
  if (key !== undefined) return new Secret(key);
  throw notReady(model, `needs a key. Set ${name} in the environment`, { variable: name });
}

/** A model that cannot be used here, and what would change that. */
export function notReady(model: string, problem: string, details: Readonly<Record<string, unknown>>): RepriseError {
  return new RepriseError("PROVIDER_NOT_READY", `Model ${model} ${problem}.`, { details: { model, ...details } });
}
