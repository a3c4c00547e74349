import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median, timed } from "./statistics.ts";
import { atMost, type Target } from "./target.ts";

const UMBRELLA = new URL("../../packages/reprise/dist/index.js", import.meta.url).href;

/** What importing the umbrella costs beyond starting Node. From the built files: users have no others. */
export async function measureImport(repetitions: number): Promise<Target> {
  const added: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const bare = await timed(() => runNode("0"));
    added.push((await timed(() => runNode(`await import(${JSON.stringify(UMBRELLA)})`))) - bare);
  }
  return atMost("import of `reprise`, beyond bare Node", median(added), 60, (value) => `${Math.round(value)} ms`);
}

function runNode(program: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`Node ended with ${code}.`))));
  });
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PORT = 18_080;

/** From `npm start` to an answer of `/ready`, everything installed and built. */
export async function measureStart(repetitions: number): Promise<Target> {
  const times: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) times.push(await startOnce());
  return atMost("`npm start`, warm, until it is ready", median(times) / 1_000, 3, (value) => `${value.toFixed(1)} s`);
}

async function startOnce(): Promise<number> {
  const options = { cwd: ROOT, stdio: "ignore", detached: true } as const;
  const child = spawn("npm", ["start", "--", "--http-addr", `127.0.0.1:${PORT}`], options);
  const gone = new Promise((resolve) => child.once("exit", resolve));
  try {
    return await timed(waitUntilReady);
  } finally {
    // With what it started.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    await gone;
  }
}

async function waitUntilReady(): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/ready`).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
