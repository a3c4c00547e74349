#!/usr/bin/env node
const { stdin, stdout, stderr, versions } = process;

// The projects need it, and an older one could not even load the rest.
const [major = 0, minor = 0] = versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  stderr.write(`Reprise needs Node 22.18 or newer; this is ${versions.node}.\n`);
  process.exit(1);
}
const { runCommandLine } = await import("./run-command-line.ts");

const isPerson = stdin.isTTY === true && stdout.isTTY === true;
process.exitCode = await runCommandLine(process.argv.slice(2), { out: stdout, error: stderr, isPerson });
