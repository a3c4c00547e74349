/** What a package is called and which workspace packages it may import, by their folder names. */
export interface ImportRule {
  readonly name: string;
  readonly mayImport: readonly string[];
  /** All of them, or those named, only for their types. */
  readonly onlyTypes?: true | readonly string[];
}

const LIBRARIES = [
  "state",
  "contracts",
  "runtime",
  "node",
  "models",
  "stores",
  "plugins",
  "protocols",
  "backends",
  "workflow",
  "evals",
];
const EVERYTHING_BUT_CLI = [...LIBRARIES, "server", "testkit"];

/**
 * Who may import whom. `runtime` never sees a concrete store, a protocol or HTTP; `protocols` never see `runtime`;
 * only `cli` and `reprise` compose.
 */
export const ALLOWED_IMPORTS: Readonly<Record<string, ImportRule>> = {
  "packages/state": { name: "@reprise/state", mayImport: [] },
  "packages/contracts": { name: "@reprise/contracts", mayImport: ["state"] },
  "packages/runtime": { name: "@reprise/runtime", mayImport: ["contracts", "state"] },
  "packages/node": { name: "@reprise/node", mayImport: ["contracts"] },
  "packages/models": { name: "@reprise/models", mayImport: ["contracts"] },
  "packages/stores": { name: "@reprise/stores", mayImport: ["contracts", "state"] },
  "packages/plugins": { name: "@reprise/plugins", mayImport: ["contracts", "state", "runtime"] },
  "packages/protocols": { name: "@reprise/protocols", mayImport: ["contracts", "state"] },
  "packages/backends": { name: "@reprise/backends", mayImport: ["contracts", "state", "protocols"] },
  "packages/client": { name: "@reprise/client", mayImport: ["contracts"], onlyTypes: true },
  "packages/react": { name: "@reprise/react", mayImport: ["contracts", "client"] },
  "packages/workflow": { name: "@reprise/workflow", mayImport: ["contracts", "state", "runtime"] },
  "packages/evals": {
    name: "@reprise/evals",
    mayImport: ["contracts", "state", "runtime", "stores", "models", "node"],
  },
  "packages/server": {
    name: "@reprise/server",
    mayImport: ["contracts", "state", "runtime", "protocols", "workflow"],
  },
  "packages/testkit": { name: "@reprise/testkit", mayImport: ["contracts", "state", "models"] },
  "packages/cli": { name: "@reprise/cli", mayImport: [...EVERYTHING_BUT_CLI, "reprise"] },
  "packages/reprise": { name: "reprise", mayImport: EVERYTHING_BUT_CLI },
  "packages/create-reprise": { name: "create-reprise", mayImport: [] },
  "apps/studio": { name: "@reprise/studio", mayImport: ["contracts", "client"], onlyTypes: ["contracts"] },
};

/** Packages that run anywhere: what is impure reaches them only through the `Env` port. */
export const PLATFORM_PURE: readonly string[] = [
  "packages/state",
  "packages/contracts",
  "packages/runtime",
  "packages/workflow",
  "packages/protocols",
];
