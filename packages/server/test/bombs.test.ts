import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { ROUTES, type Route, type ServerOptions } from "@reprise/server";
import { listen } from "@reprise/server/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenDemo, openDemo, says } from "./support/open-demo.ts";
import { until } from "./support/until.ts";

const ALL: readonly Route[] = Object.values(ROUTES).flat();
const takesJson = ALL.filter(({ operation }) => operation.body?.schema !== undefined);

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
    expect(Object.keys(JSON.parse(text))).toEqual(["error"]);
    return [response.status, JSON.parse(text).error];
  };

  it("refuses what nests too deep, as soon as it is read", async () => {
    const bombs = [
      `{"state":${nested("[", "]", 100_000)}}`,
      `{"state":${nested('{"a":', "}", 70).replace("}", "1}")}}`,
      nested("[", "]", 500_000),
    ];
    for (const bomb of bombs) {
      const start = performance.now();
      const [status] = await send(bomb);
      expect(status).toBe(400);
      expect(performance.now() - start).toBeLessThan(2_000);
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

describe("over a socket", () => {
  /** Writes and hears what comes until the other side ends the connection. */
  function talk(port: number, begin: (socket: Socket) => void): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      let heard = "";
      socket.on("data", (data) => {
        heard += data.toString("latin1");
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(heard));
      begin(socket);
    });
  }

  it("a chunked body without end is cut off at its limit, and the connection with it", async () => {
    const { server } = await openDemo();
    const { port, url } = await listenDemo(server);
    let sent = 0;
    const heard = await talk(port, (socket) => {
      socket.write(
        "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
      );
      const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
      const more = (): void => {
        if (socket.destroyed || sent > 100_000_000) return;
        sent += 65_536;
        socket.write(chunk, () => setImmediate(more));
      };
      more();
    });
    expect(heard).toContain("HTTP/1.1 413");
    // What was on its way in the buffers of both sides, and no more.
    expect(sent).toBeLessThan(20_000_000);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("who may not come in is told so before the body has come, and is not listened to for long", async () => {
    const { server } = await openDemo({ authenticate: async () => undefined });
    const { port } = await listenDemo(server);
    // Ends although the rest never comes: the server ends it.
    const heard = await talk(port, (socket) => {
      socket.write(
        "POST /v1/blobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\nContent-Length: 100000000\r\n\r\nx",
      );
    });
    expect(heard).toContain("HTTP/1.1 401");
  });

  it("a length that is a lie is refused before a byte of it is read", async () => {
    const { server } = await openDemo();
    const { port } = await listenDemo(server);
    const heard = await talk(port, (socket) => {
      socket.write(
        "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{",
      );
    });
    expect(heard).toContain("HTTP/1.1 413");
  });

  it.each([
    [
      "a hundred thousand headers",
      `GET /health HTTP/1.1\r\nHost: localhost\r\n${"X-A: 1\r\n".repeat(100_000)}\r\n`,
      431,
    ],
    ["a path without end", `GET /${"a".repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
    [
      "two lengths",
      "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
      400,
    ],
    [
      "a length and chunks",
      "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["no host", "GET /v1/threads HTTP/1.1\r\n\r\n", 400],
    ["no HTTP", "hello\r\n\r\n", 400],
  ])("%s is refused", async (_, text, status) => {
    const { server } = await openDemo();
    const { port } = await listenDemo(server);
    const heard = await talk(port, (socket) => {
      socket.write(text);
      // Whoever is answered and not cut off has to leave by itself.
      socket.once("data", () => socket.end());
    });
    expect(heard).toContain(`HTTP/1.1 ${status}`);
  });

  it("two hundred clients that send a byte now and then keep nobody waiting, and are sent away", async () => {
    const { server } = await openDemo();
    const listening = await listen(server, { port: 0, headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 });
    onTestFinished(() => listening.close());
    const sockets = Array.from({ length: 200 }, (_, index) => {
      const socket = connect(listening.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.resume();
      const isBody = index % 2 === 0;
      const beginning = isBody
        ? "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
        : "GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
      socket.write(beginning);
      return socket;
    });
    const drip = setInterval(() => {
      for (const socket of sockets) if (!socket.destroyed) socket.write(" ");
    }, 100);
    onTestFinished(() => clearInterval(drip));
    const times: number[] = [];
    for (let round = 0; round < 50; round += 1) {
      const start = performance.now();
      expect((await fetch(`${listening.url}/v1/threads`)).status).toBe(200);
      times.push(performance.now() - start);
    }
    times.sort((one, other) => one - other);
    expect(times[Math.floor(times.length * 0.98)]).toBeLessThan(1_000);
    await until(() => sockets.every((socket) => socket.destroyed || socket.closed), "the slow ones to be gone");
  });
});

describe("a text that is not quite JSON", () => {
  const BAD = [
    "{",
    "}",
    "{}}",
    "{} {}",
    "{,}",
    "{a:1}",
    "{'a':1}",
    '{"a":1,}',
    '{"a" 1}',
    '{"a":}',
    '{"a":undefined}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":01}',
    '{"a":.5}',
    '{"a":1.}',
    '{"a":+1}',
    '{"a":0x10}',
    '{"a":"\n"}',
    '{"a":"\\x41"}',
    '{"a":"\\u12"}',
    '{"a":"unfinished}',
    '{"a":tru}',
    "/* a */{}",
    "{}//",
    "null",
    "true",
    "7",
    '"text"',
    "[]",
    "[{}]",
    " ",
    "\u0000",
    "{\u0000}",
    "<xml/>",
    "a=1&b=2",
    "--boundary",
    ")]}',\n{}",
    "\u2028{}",
    "new Object()",
  ];

  it.each(BAD)("is refused: %j", async (text) => {
    const { ask, runtime } = await openDemo();
    const response = await ask("/v1/runs", { method: "POST", headers: JSON_TYPE, body: text });
    expect([response.status, Object.keys(await response.json())]).toEqual([400, ["error"]]);
    expect((await runtime.threads.list()).total).toBe(0);
  });

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
