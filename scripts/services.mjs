// Shows which servers the tests can use on this machine, and installs those that are missing.
//
//   npm run services                       what is found and what is missing
//   npm run services -- install [names]    installs what is missing (all, or those named)

import { findService } from "./services/find-service.mjs";
import { describePackages, installServices } from "./services/install-services.mjs";
import { thisMachine } from "./services/machine.mjs";
import { isServiceName, SERVICE_NAMES, SERVICES } from "./services/table.mjs";

/** @import { ServiceName } from "./services/table.mjs" */

const machine = thisMachine();
const [command, ...names] = process.argv.slice(2);

if (command === undefined) {
  showServices(SERVICE_NAMES);
} else if (command === "install" && names.every(isServiceName)) {
  process.exitCode = install(names.length > 0 ? names : SERVICE_NAMES);
} else {
  console.error(`Usage: npm run services [-- install [${SERVICE_NAMES.join(" | ")}]]`);
  process.exitCode = 2;
}

/** @param {readonly ServiceName[]} wanted */
function showServices(wanted) {
  for (const name of wanted) {
    const service = findService(name, machine);
    const state = service.found
      ? `${service.version} at ${service.binary}`
      : `missing: ${service.reason} (Debian: ${describePackages([name])}; or set ${SERVICES[name].variable})`;
    console.log(`${name.padEnd(9)} ${state}`);
  }
}

/**
 * @param {readonly ServiceName[]} wanted
 * @returns {number} the exit code
 */
function install(wanted) {
  const missing = wanted.filter((name) => !findService(name, machine).found);
  if (missing.length > 0) {
    console.log(`Installing with apt-get: ${describePackages(missing)}.`);
    const { problem } = installServices(missing, machine);
    if (problem !== undefined) {
      console.error(`Cannot install ${missing.join(", ")}: ${problem}`);
      return 1;
    }
  }
  showServices(wanted);
  return wanted.every((name) => findService(name, machine).found) ? 0 : 1;
}
