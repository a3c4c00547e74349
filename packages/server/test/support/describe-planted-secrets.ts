import { ROUTES, type Route } from "@reprise/server";
import { beforeAll, expect, it } from "vitest";
import { markOf } from "./careless-words.ts";
import { PLANTED } from "./planted-secrets.ts";
import type { SeenTexts } from "./seen-texts.ts";
import type { GuardedServer } from "./start-guarded.ts";

const readable: readonly Route[] = Object.values(ROUTES)
  .flat()
  .filter(({ method }) => method === "GET");
const isOfServer = ({ path }: Route): boolean => path === "/metrics" || path.startsWith("/v1/config");

/** What shows most of a route. */
const QUERIES: Readonly<Record<string, string>> = {
  "/v1/threads/:id/messages": "?visibility=any&include_superseded=true",
  "/v1/threads/:id/mailbox": "?origin=none",
};

export const SECRETS: readonly string[] = PLANTED.map(({ secret }) => secret);

export interface Watched {
  readonly server: GuardedServer;
  readonly seen: SeenTexts;
  /** Adds what the store holds now to what was seen. */
  readStore(): void | Promise<void>;
}

/** Nothing that a careless part of a server says gives a credential away: to clients, to who reads its output, to who has its store. */
export function describePlantedSecrets(watchedOf: () => Watched): void {
  let key = "";
  beforeAll(async () => {
    key = await watchedOf().server.createKey("secrets", "admin");
  });

  const read = async (path: string, init?: RequestInit, credential: string | undefined = key) => {
    const { server, seen } = watchedOf();
    return seen.read(await server.ask(credential, path, init));
  };
  const send = async (path: string, body: object, credential = key) => {
    const { server, seen } = watchedOf();
    return seen.read(await server.send(credential, "POST", path, body));
  };
  /**
   * Reads the routes that have such an id; `kind` is what it names. All of them for the first credential, and for the others those
   * that tell most: they tell what is stored, and that is looked at whole.
   */
  const readAbout = (kind: string, id: string, index: number): Promise<readonly unknown[]> => {
    const routes = readable.filter(({ path }) => path.replace("/ai-sdk/", "/").startsWith(`/v1/${kind}/:`));
    const told = index === 0 ? routes : routes.filter(({ path }) => /\/(events|export|messages)$/.test(path));
    const paths = told.map(({ path }) => path.replace(/:\w+/g, id) + (QUERIES[path] ?? `?with=${id}`));
    return Promise.all(paths.map((path) => read(path)));
  };

  /** Does something for every credential at the same time, and looks whether one of them was seen. */
  const forAll = async (act: (secret: string, index: number) => Promise<void>): Promise<void> => {
    await Promise.all(PLANTED.map(({ secret }, index) => act(secret, index)));
    const { server, seen } = watchedOf();
    const { stdout, stderr } = server.said();
    seen.add("stdout", stdout);
    seen.add("stderr", stderr);
    seen.expectNowhere(SECRETS);
  };

  it("in errors of tools, models, plugins and commits are seen nowhere", () =>
    forAll(async (_, index) => {
      const messages = [{ role: "user", content: "Go." }];
      const runs = ["tool", "model", "plugin"].map((who) => ({ agentId: `${who}-${index}`, threadId: `t-${index}` }));
      for (const run of [...runs, { agentId: "echo", threadId: `lost-${index}` }]) {
        const runId = `${run.agentId}-of-${run.threadId}`;
        expect((await send("/v1/runs", { ...run, runId, messages })).status).toBe(200);
        await readAbout("runs", runId, index);
        await send(`/v1/runs/${runId}/replay`, {});
      }
      const byHand = await send(`/v1/agents/tool-${index}/tools/call/run`, { threadId: `hand-${index}` });
      expect(byHand.status).toBe(200);
      await readAbout("runs", JSON.parse(byHand.text).run_id, index);
      for (const thread of [`t-${index}`, `lost-${index}`, `hand-${index}`]) {
        await readAbout("threads", thread, index);
        await read(`/v1/ai-sdk/agents/tool-${index}/chats/${thread}/stream`);
      }
    }));

  it("in errors of stores, of who says who one is, and of what one may are seen nowhere", () =>
    forAll(async (_, index) => {
      expect((await read(`/v1/runs?thread_id=broken-${index}`)).status).toBe(500);
      expect((await read(`/v1/runs?thread_id=unavailable-${index}`)).status).toBe(503);
      expect((await read("/v1/threads", { headers: { "x-careless": `authenticate-${index}` } }, "nobody")).status).toBe(
        500,
      );
      const asked = await send("/v1/permissions/preview", { agentId: `tool-${index}`, toolId: "call" });
      expect(asked.status).toBe(500);
    }));

  it("in an error of a server that is not ready is seen nowhere", async () => {
    // One after the other: who is ready is asked of the whole server.
    for (const index of PLANTED.keys()) {
      await read(`/v1/runs?thread_id=unready-${index}`);
      expect((await read("/ready")).status).toBe(503);
    }
    await forAll(async () => undefined);
  });

  it("as credentials that are not taken are seen nowhere", () =>
    forAll(async (secret) => {
      const { server, seen } = watchedOf();
      const refused = async (path: string, init: RequestInit): Promise<number> =>
        (await seen.read(await server.ask(undefined, path, init))).status;
      for (const name of ["authorization", "x-api-key", "cookie", "proxy-authorization"]) {
        const headers = { [name]: name === "authorization" ? `Bearer ${secret}` : secret };
        expect(await refused("/v1/threads", { headers })).toBe(401);
        await refused("/nothing", { headers });
        await refused("/v1/runs", { method: "POST", headers: { ...headers, origin: "https://evil.example" } });
      }
    }));

  it("in the configuration, and in a draft of one that is wrong, are seen nowhere", () =>
    forAll(async (secret, index) => {
      const root = watchedOf().server.rootOf();
      expect((await read(`/v1/config/providers/provider-${index}`, {}, root)).text).toContain(`provider-${index}`);
      for (const adapter_kind of ["nonsense", "broken"]) {
        const draft = { providers: { p: { adapter_kind, auth: { kind: "token", value: secret } } } };
        const { status, text } = await send("/v1/config/validate", draft, root);
        expect([status, JSON.parse(text).valid]).toEqual([200, false]);
      }
    }));

  it("are in no list, in no store, and were looked for where the errors are", async () => {
    const { server, seen, readStore } = watchedOf();
    for (const route of readable.filter(({ path }) => !path.includes(":"))) {
      await read(route.path, {}, isOfServer(route) ? server.rootOf() : key);
    }
    await readStore();
    seen.expectNowhere(SECRETS);
    const marks = (...who: readonly Parameters<typeof markOf>[0][]): readonly string[] =>
      PLANTED.flatMap((_, index) => who.map((one) => markOf(one, index)));
    for (const place of ["stream", "body", "store"] as const) {
      seen.expectAt(place, [...marks("tool", "plugin", "commit"), "[redacted]"]);
    }
    seen.expectAt("body", ["reprise_http_requests_total"]);
    const told = marks("model", "plugin", "commit", "authenticate", "preview", "broken", "unavailable");
    seen.expectAt("stderr", [...told, "[redacted]"]);
    seen.expectAt("stdout", [server.url]);
    seen.expectAt(
      "header",
      PLANTED.map((_, index) => `tool-${index}-of-t-${index}`),
    );
  });

  it("are planted in twenty forms", () => {
    expect(PLANTED.length).toBeGreaterThanOrEqual(20);
    expect(new Set(PLANTED.map(({ secret }) => secret)).size).toBe(PLANTED.length);
    for (const { secret, said } of PLANTED) expect(said).toContain(secret);
  });
}
