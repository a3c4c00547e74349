import { gzipSync } from "node:zlib";
import { ROUTES, type Route, type ServerOptions } from "@reprise/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";

const ALL: readonly Route[] = Object.values(ROUTES).flat();
// A signed route parses nothing before it has checked the signature, and refuses everything else with 401.
const takesJson = ALL.filter(({ operation, scope }) => operation.body?.schema !== undefined && scope !== "signed");

const JSON_TYPE = { "content-type": "application/json" };
const pathOf = ({ path }: Route): string => path.replace(/:\w+/g, "x");

/** How many times a text is put around another. */
const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

const keys = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(",")}}`;

const PACKED = gzipSync(Buffer.alloc(20_000_000));

/** A configuration that nobody may ask: what is refused here is refused before. */
const UNTOUCHED = new Proxy({} as NonNullable<ServerOptions["config"]>, {
  get: () => () => {
    throw new Error("The configuration was asked.");
  },
});

describe.each(takesJson)("$method $path", (route) => {
  const send = async (body: BodyInit, headers: Record<string, string> = {}): Promise<readonly [number, string]> => {
    const { ask } = await openDemo({ config: UNTOUCHED });
    const response = await ask(pathOf(route), { method: route.method, headers: { ...JSON_TYPE, ...headers }, body });
    const text = await response.text();
    const { jsonrpc, id, error, ...rest } = JSON.parse(text);
    expect(rest).toEqual({});
    // JSON-RPC refuses a body in an answer of its own, under the code for a body that cannot be read.
    if (jsonrpc !== undefined) expect([response.status, id, error.code]).toEqual([200, null, -32_700]);
    return jsonrpc === undefined ? [response.status, error] : [400, error.message];
  };

  it("refuses what nests too deep before anybody parses it", async () => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    // What does not nest is parsed before it is refused: the spy would see it.
    const flat = "[0]";
    expect((await send(flat))[0]).toBe(400);
    expect(parse.mock.calls.map(([text]) => text)).toContain(flat);

    const bombs = [
      `{"state":${nested("[", "]", 100_000)}}`,
      `{"state":${nested('{"a":', "}", 70).replace("}", "1}")}}`,
      nested("[", "]", 500_000),
    ];
    for (const bomb of bombs) {
      const [status] = await send(bomb);
      expect(status).toBe(400);
      expect(parse.mock.calls.some(([text]) => text === bomb)).toBe(false);
    }
  });

  it("refuses more keys than anybody needs", async () => {
    expect((await send(keys(10_001)))[0]).toBe(400);
    expect((await send(`{"metadata":{"list":[${keys(5_001)},${keys(5_001)}]}}`))[0]).toBe(400);
  });

  it("refuses what is packed, whatever is in it", async () => {
    for (const encoding of ["gzip", "deflate", "br", "zstd", "gzip, gzip", "x-anything"]) {
      expect(await send(PACKED, { "content-encoding": encoding })).toEqual([
        415,
        "unsupported media type: send the body without an encoding",
      ]);
    }
  });
});

describe("a text that is JSON, and odd", () => {
  it.each([
    ["a key twice", '{"agentId":"assistant","agentId":"nobody","messages":[]}'],
    ["a prototype", '{"__proto__":{"agentId":"assistant"},"messages":[{"role":"user","content":"x"}]}'],
    ["a constructor", '{"constructor":{"prototype":{"agentId":"assistant"}},"messages":[]}'],
    ["a number beyond all", '{"agentId":"assistant","priority":1e999,"messages":[]}'],
  ])("with %s starts nothing", async (_, text) => {
    const { ask, runtime } = await openDemo();
    const response = await ask("/v1/runs", { method: "POST", headers: JSON_TYPE, body: text });
    expect([400, 404]).toContain(response.status);
    expect((await runtime.runs()).total).toBe(0);
    expect(Object.hasOwn(Object.prototype, "agentId")).toBe(false);
  });

  it.each([
    ["half a character", "\ud800"],
    ["nothing at all", "a\u0000b"],
    ["lines of its own", "a\u2028b\u2029c"],
    ["a mark of order", "\ufeffa"],
  ])("but holds %s is taken, and given back", async (_, said) => {
    const { post, ask } = await openDemo();
    await (await post("/v1/runs", says(`say ${said}`, { threadId: "t" }))).text();
    const { messages } = await (await ask("/v1/threads/t/messages")).json();
    expect(messages[0].content).toBe(`say ${said}`.toWellFormed());
  });
});
