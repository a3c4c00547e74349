#!/usr/bin/env node
try {
  // Says so when Node is too old; one that is could not even load the rest.
  await import("@reprise/state");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
const { startProcess } = await import("./start-process.ts");

await startProcess(process.argv.slice(2));
