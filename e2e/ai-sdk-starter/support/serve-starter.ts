import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { STARTER } from "./install-starter.ts";

/** The built page, with what is the server's passed on to it. */
export interface ServedStarter {
  readonly url: string;
  stop(): void;
}

/** Serves the built page as `npm run preview` does. */
export async function serveStarter(serverUrl: string): Promise<ServedStarter> {
  const port = await findPort();
  const program = join(STARTER, "node_modules/vite/bin/vite.js");
  const options = ["preview", "--host", "127.0.0.1", "--port", String(port), "--strictPort"];
  const child = spawn(process.execPath, [program, ...options], {
    cwd: STARTER,
    env: { ...process.env, REPRISE_URL: serverUrl },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswering(url, child);
  return { url, stop: () => void child.kill() };
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + 20_000;
  for (;;) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    if (child.exitCode !== null || Date.now() > end) throw new Error("The page is not served.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** One that is free now. */
function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
