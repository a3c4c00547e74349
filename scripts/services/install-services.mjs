import { delimiter, join } from "node:path";
import { SERVICES } from "./table.mjs";

/** @import { Machine } from "./machine.mjs" */
/** @import { ServiceName } from "./table.mjs" */

/** An unreachable mirror must not hold up the tests for minutes. */
const APT_OPTIONS = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::https::Timeout=20"];

/**
 * Says why services cannot be installed from here, or nothing when they can.
 *
 * @param {Machine} machine
 * @returns {string | undefined}
 */
export function whyNotInstallable(machine) {
  const onPath = (machine.env.PATH ?? "").split(delimiter);
  const hasApt = onPath.some((folder) => folder !== "" && machine.isProgram(join(folder, "apt-get")));
  if (!machine.exists("/etc/debian_version") || !hasApt) return "only Debian with apt-get is known here";
  if (machine.userId !== 0) return "apt-get needs root";
  return undefined;
}

/**
 * Installs Debian's packages for the services. Its output is shown only when something goes wrong.
 *
 * @param {readonly ServiceName[]} names
 * @param {Machine} machine
 * @returns {{ readonly problem: string | undefined }}
 */
export function installServices(names, machine) {
  const refusal = whyNotInstallable(machine);
  if (refusal !== undefined) return { problem: refusal };
  const packages = names.flatMap((name) => SERVICES[name].debianPackages);
  const commands = [
    ["update", ...APT_OPTIONS],
    ["install", "--yes", "--no-install-recommends", ...APT_OPTIONS, ...packages],
  ];
  for (const command of commands) {
    const ran = machine.run("apt-get", command, { DEBIAN_FRONTEND: "noninteractive" });
    if (!ran.succeeded) return { problem: `apt-get ${command[0]} failed:\n${ran.output.trim()}` };
  }
  return { problem: undefined };
}

/** @param {readonly ServiceName[]} names */
export function describePackages(names) {
  return names.flatMap((name) => SERVICES[name].debianPackages).join(", ");
}
