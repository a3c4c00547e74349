import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { useServer } from "../../stores/test/postgres/use-server.ts";
import { describeForeignTenants } from "./support/describe-foreign-tenants.ts";
import { describePlantedSecrets, SECRETS } from "./support/describe-planted-secrets.ts";
import { describeSlowClients } from "./support/describe-slow-clients.ts";
import { PLANTED } from "./support/planted-secrets.ts";
import { readFiles, readPostgres, readSqlite } from "./support/read-stored.ts";
import { SeenTexts } from "./support/seen-texts.ts";
import { closed, headOf, openSocket } from "./support/slow-sockets.ts";
import { type GuardedServer, startGuarded } from "./support/start-guarded.ts";

/** A password that the database does not ask for; it must not be shown all the same. */
const PASSWORD = PLANTED.find(({ name }) => name === "a database's password")?.secret;

/** Where threads live. */
interface Home {
  place(): string;
  /** What is stored, by the ways there are to look at it. */
  read(): Promise<ReadonlyMap<string, string>>;
  /** The ways by which something is seen while a server runs, and once it has ended. */
  readonly ways: { readonly running: readonly string[]; readonly ended: readonly string[] };
  /** Makes it fail, until what is answered is called. */
  lose?(): Promise<() => Promise<void>>;
}

/** What must hold of a server that asks who one is and is a process of its own, wherever its threads live. */
function describeGuarded(home: Home): void {
  let server: GuardedServer;
  const seen = new SeenTexts();
  beforeAll(async () => {
    server = await startGuarded(home.place());
  });
  afterAll(() => server?.kill());

  const readStore = async (when: keyof Home["ways"]): Promise<void> => {
    const stored = await home.read();
    for (const text of stored.values()) seen.add("store", text);
    // An error of a tool, without its credential.
    const blind = home.ways[when].filter((way) => stored.get(way)?.includes("mark-tool-") !== true);
    expect(blind).toEqual([]);
  };

  describe("another tenant", () => describeForeignTenants(() => server));
  describe("planted credentials", () =>
    describePlantedSecrets(() => ({ server, seen, readStore: () => readStore("running") })));
  describe("clients", () => describeSlowClients(() => server));

  const { lose } = home;
  if (lose !== undefined) {
    it("says nothing of its store's credentials when that is gone, and continues when it is back", async () => {
      const bringBack = await lose();
      const key = server.rootOf("lost");
      for (const path of ["/ready", "/v1/threads", "/v1/runs/none"]) {
        expect((await seen.read(await server.ask(key, path))).status).toBe(503);
      }
      await bringBack();
      await expect.poll(async () => (await server.ask(key, "/ready")).status).toBe(200);
      seen.add("stderr", server.said().stderr);
      seen.expectAt("stderr", ["The Postgres database cannot be used"]);
      seen.expectNowhere(SECRETS);
    });
  }

  it("ends on a signal, although a client never ends its request, and leaves no credential behind", async () => {
    const half = openSocket(server.impatientUrl, `${headOf("GET", "/health", {})}\r\nX-Half: `);
    // A whole request of another client, so that the half one has surely come.
    expect((await server.ask(undefined, `${server.impatientUrl}/health`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    await closed(half);
    const { stdout, stderr } = server.said();
    seen.add("stdout", stdout);
    seen.add("stderr", stderr);
    await readStore("ended");
    seen.expectNowhere([...SECRETS, ...server.given()]);
  });
}

describe("on SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-guarded-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "guarded.db");
  describeGuarded({
    place: () => file,
    read: async () => new Map([["columns", readSqlite(file)], ...readFiles(file)]),
    ways: { running: ["columns", "guarded.db-wal"], ended: ["columns", "guarded.db"] },
  });
});

describeWithService("postgres", "on Postgres", (service) => {
  const used = useServer(service);
  describeGuarded({
    place: () => used.url.replace("//reprise@", `//reprise:${PASSWORD}@`),
    read: async () => new Map([["columns", await readPostgres(used.sql, "reprise")]]),
    ways: { running: ["columns"], ended: ["columns"] },
    async lose() {
      await used.server.kill();
      return () => used.server.start();
    },
  });
});
