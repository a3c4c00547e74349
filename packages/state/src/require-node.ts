/** The oldest Node that runs Reprise. Every other package imports this one, so the check covers them all. */
const MINIMUM_NODE: readonly [major: number, minor: number] = [22, 18];

/** Explains why a Node version is too old, or returns undefined when it will do. */
export function explainOldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minimumMajor, minimumMinor] = MINIMUM_NODE;
  if (major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)) return undefined;
  return `Reprise needs Node ${MINIMUM_NODE.join(".")} or newer; this is ${version}.`;
}

// Only the version is read, and only where there is one: browsers and edge runtimes pass.
const host = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
const problem = explainOldNode(host.process?.versions?.node ?? MINIMUM_NODE.join("."));
if (problem !== undefined) throw new Error(problem);
