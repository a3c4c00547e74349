import { basename, delimiter, dirname, join } from "node:path";
import { thisMachine } from "./machine.mjs";
import { SERVICES } from "./table.mjs";

/** @import { Machine } from "./machine.mjs" */
/** @import { Service, ServiceName } from "./table.mjs" */

/**
 * @typedef {object} FoundService
 * @property {true} found
 * @property {ServiceName} name
 * @property {string} binary the program
 * @property {string} folder where the program and those beside it are
 * @property {string} version
 */

/** @typedef {{ found: false, name: ServiceName, reason: string }} MissingService */

/**
 * Looks where the variable says, or else on PATH and then in the usual folders.
 * Found means: it and what belongs beside it can be executed, and it tells its version.
 *
 * @param {ServiceName} name
 * @param {Machine} [machine]
 * @returns {FoundService | MissingService}
 */
export function findService(name, machine = thisMachine()) {
  const service = SERVICES[name];
  const override = machine.env[service.variable];
  const candidates = override ? candidatesNamedBy(override, service) : usualCandidates(service, machine);
  for (const binary of candidates) {
    const folder = dirname(binary);
    const complete = [binary, ...service.beside.map((other) => join(folder, other))].every(machine.isProgram);
    const version = complete ? versionOf(binary, machine) : undefined;
    if (version !== undefined) return { found: true, name, binary, folder, version };
  }
  const wanted = [service.programs[0], ...service.beside].join(" with ");
  const place = override ? `at ${service.variable}=${override}` : `on PATH or in ${service.folders.join(", ")}`;
  return { found: false, name, reason: `no working ${wanted} ${place}` };
}

/**
 * @param {string} override a program or a folder that has one
 * @param {Service} service
 */
function candidatesNamedBy(override, service) {
  return [...service.programs.map((program) => join(override, program)), override];
}

/**
 * @param {Service} service
 * @param {Machine} machine
 */
function usualCandidates(service, machine) {
  const onPath = (machine.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const folders = [...onPath, ...service.folders.flatMap((folder) => expand(folder, machine))];
  return folders.flatMap((folder) => service.programs.map((program) => join(folder, program)));
}

/**
 * Replaces `*` by what is there, newest version first.
 *
 * @param {string} pattern
 * @param {Machine} machine
 */
function expand(pattern, machine) {
  const star = pattern.indexOf("*");
  if (star === -1) return [pattern];
  const parent = pattern.slice(0, star);
  return machine
    .list(parent)
    .toSorted((left, right) => right.localeCompare(left, "en", { numeric: true }))
    .map((name) => `${parent}${basename(name)}${pattern.slice(star + 1)}`);
}

/**
 * @param {string} binary
 * @param {Machine} machine
 */
function versionOf(binary, machine) {
  const ran = machine.run(binary, ["--version"]);
  return ran.succeeded ? /\d+(\.\d+)*/.exec(ran.output)?.[0] : undefined;
}
