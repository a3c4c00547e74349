import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

/** Where and with what the figures were taken; no names of hosts or people. */
export function describeMachine(): readonly string[] {
  return [
    `Date: ${new Date().toISOString().slice(0, 10)}`,
    `Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.platform} ${process.arch}`,
    `CPU: ${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores, shared with other work`,
    `Versions: ${installedVersions()}; Reprise from the sources beside this folder`,
  ];
}

function installedVersions(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
  // Our own manifest, which pins exact versions.
  const { dependencies } = manifest as { readonly dependencies: Readonly<Record<string, string>> };
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}
