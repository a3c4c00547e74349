import { findService } from "./find-service.mjs";
import { describePackages, installServices, whyNotInstallable } from "./install-services.mjs";
import { installCommand, SERVICES } from "./table.mjs";

/** @import { Machine } from "./machine.mjs" */
/** @import { ServiceName } from "./table.mjs" */

/**
 * Finds the services a run needs and installs what is missing where that is allowed.
 * A service the user named by its variable is never installed: the machine would not look at it.
 *
 * @param {ReadonlyMap<ServiceName, readonly string[]>} needed the services and the files that ask for them
 * @param {Machine} machine
 * @param {(line: string) => void} say
 * @returns {ServiceName[]} those still missing
 */
export function provideServices(needed, machine, say) {
  const missing = () => [...needed.keys()].filter((name) => !findService(name, machine).found);
  const installable = missing().filter((name) => !machine.env[SERVICES[name].variable]);
  if (installable.length > 0 && whyNotInstallable(machine) === undefined) {
    say(`Installing for the tests, with apt-get: ${describePackages(installable)}.`);
    const { problem } = installServices(installable, machine);
    if (problem !== undefined) say(problem);
  }
  const left = missing();
  for (const name of left) {
    const found = findService(name, machine);
    if (!found.found) say(`LEFT OUT: ${found.reason}, so these are not tested: ${needed.get(name)?.join(", ")}`);
  }
  if (left.length > 0) say(`To bring them in: ${installCommand(left)}`);
  return left;
}
