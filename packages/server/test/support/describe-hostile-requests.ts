import { request } from "node:http";
import { describe, expect, it } from "vitest";

/** Sends headers that `fetch` does not let through, such as another host. */
function send(url: string, path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const sent = request(`${url}${path}`, { method, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const JSON_TYPE = { "content-type": "application/json" };
const SAID = JSON.stringify({ agentId: "assistant", messages: [{ role: "user", content: "x" }] });

/** What a server that runs refuses, whatever its threads live in: nothing of it leaves a trace. */
export function describeHostileRequests(urlOf: () => string): void {
  const count = async (): Promise<number> => (await (await fetch(`${urlOf()}/v1/runs?limit=1`)).json()).total;

  describe("hostile requests", () => {
    it.each([
      ["a name that was given our address", { ...JSON_TYPE, host: "rebound.example" }, SAID, "403 "],
      ["a page from elsewhere", { ...JSON_TYPE, origin: "https://evil.example" }, SAID, "403 "],
      ["a page without a name", { ...JSON_TYPE, origin: "null" }, SAID, "403 "],
      ["a form", { "content-type": "text/plain" }, SAID, "415 "],
      ["no JSON", JSON_TYPE, '{"agentId":', "400 "],
      ["brackets without end", JSON_TYPE, `{"state":${"[".repeat(100_000)}`, "400 "],
      ["two megabytes", JSON_TYPE, SAID.padEnd(2_000_000), "413 "],
      ["what is packed", { ...JSON_TYPE, "content-encoding": "gzip" }, SAID, "415 "],
      ["state of the runtime's own", JSON_TYPE, SAID.replace("{", '{"state":{"__run":{}},'), "400 "],
    ])("%s starts nothing", async (_, headers, body, status) => {
      const before = await count();
      expect(await send(urlOf(), "/v1/runs", headers, body)).toMatch(new RegExp(`^${status}\\{"error":"`));
      expect(await count()).toBe(before);
    });

    it.each(["../../etc/passwd", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "a'; drop table runs; --", "%00", "\u{1f4a3}"])(
      "an id that is %j is an id nobody has",
      async (id) => {
        for (const path of ["/v1/threads/", "/v1/runs/", "/v1/blobs/", "/v1/ai-sdk/threads/"]) {
          const text = await send(urlOf(), `${path}${encodeURI(id)}`, {});
          expect(text).toMatch(/^40[04] \{"error":"/);
        }
        expect((await fetch(`${urlOf()}/ready`)).status).toBe(200);
      },
    );
  });
}
