import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { chromium } from "playwright-core";
import { ROOT } from "../../scripts/repository.mjs";
import { findService } from "../../scripts/services/find-service.mjs";
import { playCrashStory, type Scene } from "./support/crash-story.ts";
import { Film } from "./support/film.ts";
import { type StartedServer, startServer } from "./support/start-server.ts";

// Records the README's picture: the story that `restart.prove.test.ts` tests, in a real browser with a real server.

const PICTURE = join(ROOT, "docs/pictures/survives-kill-9.webp");
const MAX_BYTES = 600_000;
const SCENE_MS = 2200;
const BETWEEN_MS = 180;
/** A scene may take long in reality, as the start of a server does. */
const MAX_BETWEEN = 14;

const service = findService("chromium");
if (!service.found) throw new Error(`The picture needs Chromium: ${service.reason}.`);
const folder = mkdtempSync(join(tmpdir(), "reprise-picture-"));
const start = (port?: number): Promise<StartedServer> =>
  startServer({ folder, env: { REPRISE_DEMO_PACE: "5" }, ...(port !== undefined && { port }) });
let server = await start();
const browser = await chromium.launch({ executablePath: service.binary, args: ["--no-sandbox"] });
try {
  const film = new Film(await browser.newPage());
  const page = await browser.newPage({
    viewport: { width: 860, height: 540 },
    deviceScaleFactor: 1.5,
    colorScheme: "light",
  });
  page.setDefaultTimeout(60_000);
  await page.goto(server.url);
  await page.getByRole("heading", { name: "Start a conversation" }).waitFor();

  const captions: Readonly<Record<Scene, () => string>> = {
    chat: () => "Chat with an agent.",
    approval: () => "A tool call needs approval. The run is stored and waits.",
    killed: () => `$ kill -9 ${server.pid}`,
    restarted: () => "$ npm start",
    continues: () => "Approved: the run continues where it was.",
  };
  const order: readonly Scene[] = ["chat", "approval", "killed", "restarted", "continues"];
  let caption = captions.chat();
  /** Screenshots are taken one after the other, those between scenes as often as there is time. */
  let turn = Promise.resolve();
  const shoot = (durationMs: number): Promise<void> => {
    turn = turn.then(async () => film.add(await page.screenshot(), caption, durationMs));
    return turn;
  };
  let isOver = false;
  let left = MAX_BETWEEN;
  const between = (async () => {
    for (; !isOver; left -= 1) {
      if (left > 0) await shoot(BETWEEN_MS);
      else await page.waitForTimeout(BETWEEN_MS);
    }
  })();
  await playCrashStory({
    page,
    async kill() {
      caption = captions.killed();
      await shoot(BETWEEN_MS);
      await server.kill();
    },
    async restart() {
      caption = captions.restarted();
      server = await start(server.port);
    },
    async onScene(scene) {
      await shoot(SCENE_MS);
      left = MAX_BETWEEN;
      const next = order[order.indexOf(scene) + 1];
      if (next !== undefined && next !== "killed" && next !== "restarted") caption = captions[next]();
    },
  });
  isOver = true;
  await between;
  const picture = film.encode();
  if (picture.length > MAX_BYTES)
    throw new Error(`The picture has ${picture.length} bytes; at most ${MAX_BYTES} are allowed.`);
  mkdirSync(dirname(PICTURE), { recursive: true });
  writeFileSync(PICTURE, picture);
  console.log(`${relative(ROOT, PICTURE)}: ${picture.length} bytes`);
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
