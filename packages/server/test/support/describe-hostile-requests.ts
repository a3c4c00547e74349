import { gzipSync } from "node:zlib";
import { ROUTES, type Route } from "@reprise/server";
import { beforeAll, describe, expect, it } from "vitest";
import { BAD_JSON } from "./bad-json.ts";
import { describeHostileSockets } from "./describe-hostile-sockets.ts";
import { says } from "./open-demo.ts";
import { send } from "./send-raw.ts";

const JSON_TYPE = { "content-type": "application/json" };
const SAID = JSON.stringify(says("x"));
const ALL: readonly Route[] = Object.values(ROUTES).flat();

/** Two hundred times as much as is sent. */
const PACKED = gzipSync(SAID.padEnd(20_000_000));

const keys = (count: number): string => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",");
const withState = (state: string): string => SAID.replace("{", `{"state":${state},`);

/** What a page can make a browser send without being asked. */
const FORMS = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];

/** What a server that runs refuses, whatever its threads live in: nothing of it leaves a trace. */
export function describeHostileRequests(urlOf: () => string): void {
  const THREAD = "hostile";
  const RUN = "hostile-run";
  beforeAll(async () => {
    const body = JSON.stringify(says("pay 5", { threadId: THREAD, runId: RUN }));
    expect(await send(urlOf(), "/v1/runs", { headers: JSON_TYPE, body })).toMatch(/^200 /);
  });

  /** How many there are of everything, and all of the thread that could be had. */
  const look = async (): Promise<readonly unknown[]> => {
    const paths = ["/v1/runs?limit=1", "/v1/threads?limit=1", "/v1/decisions", "/v1/keys"];
    const lists = paths.map(async (path) => (await fetch(`${urlOf()}${path}`)).json());
    const counts = (await Promise.all(lists)).map(({ total, items }) => total ?? items.length);
    return [...counts, await (await fetch(`${urlOf()}/v1/threads/${THREAD}/export`)).text()];
  };

  const pathOf = ({ path }: Route): string => {
    const id = path.includes("/threads") ? THREAD : path.startsWith("/v1/runs") ? RUN : `${RUN}-s1-c0`;
    return path
      .replace(":entry_id", `${RUN}-entry`)
      .replace(/:(chat_id)/, THREAD)
      .replace(/:\w+/g, id);
  };
  /** Asks every route as somebody would who can only choose the headers. */
  const askAll = async (headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
    const { host } = new URL(urlOf());
    const asked = ALL.map(async (route) => {
      const isWrite = route.method === "POST" || route.method === "PUT" || route.method === "PATCH";
      const body = isWrite ? { body: JSON.stringify({ action: "approve" }) } : {};
      const sent = { method: route.method, headers: { ...JSON_TYPE, host, ...headers }, ...body };
      return `${route.method} ${route.path} ${(await send(urlOf(), pathOf(route), sent)).slice(0, 40)}`;
    });
    return Promise.all(asked);
  };

  describe("hostile requests", () => {
    it.each(["rebound.example", "localhost.rebound.example:8080"])(
      "the name %s that was given our address opens no route",
      async (host) => {
        const before = await look();
        expect((await askAll({ host })).filter((line) => !line.includes(' 403 {"error":"forbidden: host'))).toEqual([]);
        expect(await look()).toEqual(before);
      },
    );

    it.each([
      ["https://evil.example", "application/json"] as const,
      ["null", "application/json"] as const,
      ...FORMS.map((type) => ["http://localhost:3000", type] as const),
    ])("a page of %s that sends %s opens no route", async (origin, type) => {
      const before = await look();
      const answers = await askAll({ origin, "content-type": type });
      expect(answers.filter((line) => !line.includes(' 403 {"error":"forbidden: origin'))).toEqual([]);
      expect(await look()).toEqual(before);
    });

    it.each(FORMS)("a body of type %s starts and decides nothing, wherever it comes from", async (type) => {
      const before = await look();
      const headers = { "content-type": type };
      for (const [path, body] of [
        ["/v1/runs", SAID],
        [`/v1/decisions/${RUN}-s1-c0`, '{"action":"approve"}'],
        [`/v1/runs/${RUN}/inputs`, JSON.stringify({ decisions: [{ target_id: `${RUN}-s1-c0`, action: "resume" }] })],
      ] as const) {
        expect(await send(urlOf(), path, { headers, body })).toMatch(/^415 \{"error":"/);
      }
      expect(await look()).toEqual(before);
    });

    it.each([
      ["brackets without end", `{"state":${"[".repeat(100_000)}`, 400],
      ["brackets that end", withState("[".repeat(100_000) + "]".repeat(100_000)), 400],
      ["objects in objects", withState(`${'{"a":'.repeat(70)}1${"}".repeat(70)}`), 400],
      ["more keys than anybody needs", withState(`{${keys(10_001)}}`), 400],
      ["a list without end", SAID.replace(/"messages":\[/, `"messages":[${"0,".repeat(400_000)}`), 400],
      ["a key without end", SAID.replace("{", `{"${"k".repeat(900_000)}":1,`), 400],
      ["a number without end", withState(`{"n":${"9".repeat(900_000)}}`), 400],
      ["two megabytes", SAID.padEnd(2_000_000), 413],
      ["state of the runtime's own", withState('{"__run":{}}'), 400],
    ])("%s starts nothing, and is refused in few words", async (_, body, status) => {
      const before = await look();
      const answer = await send(urlOf(), "/v1/runs", { headers: JSON_TYPE, body });
      expect(answer).toMatch(new RegExp(`^${status} \\{"error":"`));
      expect(answer.length).toBeLessThan(1_000);
      expect(await look()).toEqual(before);
    });

    it.each(["gzip", "gzip, gzip", "br"])("what is packed by %s is not unpacked", async (encoding) => {
      const headers = { ...JSON_TYPE, "content-encoding": encoding };
      expect(await send(urlOf(), "/v1/runs", { headers, body: PACKED })).toMatch(/^415 \{"error":"/);
    });

    it("a text that is not quite JSON starts nothing", async () => {
      const before = await look();
      const answers = BAD_JSON.map(async (body) => [
        body,
        await send(urlOf(), "/v1/runs", { headers: JSON_TYPE, body }),
      ]);
      const taken = (await Promise.all(answers)).filter(([, answer]) => answer?.startsWith('400 {"error":"') !== true);
      expect(taken).toEqual([]);
      expect(await look()).toEqual(before);
    });

    it.each(["../../etc/passwd", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "a'; drop table runs; --", "%00", "\u{1f4a3}"])(
      "an id that is %j is an id nobody has",
      async (id) => {
        for (const path of ["/v1/threads/", "/v1/runs/", "/v1/blobs/", "/v1/ai-sdk/threads/"]) {
          const text = await send(urlOf(), `${path}${encodeURI(id)}`, { headers: {} });
          expect(text).toMatch(/^40[04] \{"error":"/);
        }
        expect((await fetch(`${urlOf()}/ready`)).status).toBe(200);
      },
    );

    describeHostileSockets(urlOf);
  });
}
