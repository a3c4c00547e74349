import { PROVIDER_VARIABLES } from "@reprise/models";
import { SETTINGS } from "./setting-table.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** The environment, with the variables that `.env` may set where the environment sets none. */
export interface JoinedVariables {
  readonly variables: Variables;
  /** Names whose value is from `.env`. */
  readonly fromFile: ReadonlySet<string>;
  /** Keys of the environment that stay unused, because `.env` says where they would be sent. */
  readonly withheld: readonly { readonly key: string; readonly address: string }[];
}

/**
 * Joins the two. The author of a folder's `.env` need not be the person who runs a command in it: `.env` may say what this program is to
 * do, but not what Node or another library does, and an address of `.env` is never paired with a key from elsewhere.
 */
export function joinVariables(environment: Variables, file: Variables): JoinedVariables {
  const joined: Record<string, string | undefined> = { ...environment };
  const fromFile = new Set<string>();
  for (const [name, value] of Object.entries(file)) {
    if (!mayBeInFile(name) || isSet(environment[name])) continue;
    joined[name] = value;
    fromFile.add(name);
  }
  const withheld = PROVIDER_VARIABLES.filter(({ address }) => fromFile.has(address)).flatMap(({ address, keys }) =>
    keys.filter((key) => isSet(environment[key])).map((key) => ({ key, address })),
  );
  for (const { key } of withheld) {
    joined[key] = file[key];
    if (isSet(file[key])) fromFile.add(key);
  }
  return { variables: joined, fromFile, withheld: withheld.filter(({ key }) => !fromFile.has(key)) };
}

function mayBeInFile(name: string): boolean {
  return (/^(REPRISE|AGENTOS)_/.test(name) || OWN.has(name)) && !CODE.has(name);
}

/** Name a module or a program, which are run: only the person who starts the command may do that. */
const CODE: ReadonlySet<string> = new Set(["REPRISE_AGENTS", "MCP_SERVER_CMD"]);

const OWN: ReadonlySet<string> = new Set([
  ...SETTINGS.map(({ variable }) => variable),
  ...PROVIDER_VARIABLES.flatMap(({ address, keys, others }) => [address, ...keys, ...others]),
]);

/** A variable that is set to nothing is not set. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== "";
}
