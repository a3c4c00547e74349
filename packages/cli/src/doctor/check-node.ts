import { type Finding, fail, ok } from "./finding.ts";

const OLDEST = [22, 18] as const;

export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNew = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (isNew) return ok("node", `Node ${version}`);
  return fail("node", `Node ${version} is too old.`, `Install Node ${OLDEST.join(".")} or newer.`);
}
