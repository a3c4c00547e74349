import { type McpPlugin, mcp } from "@reprise/plugins/mcp";
import { expect, it } from "vitest";
import { type AuthorizationServer, serveAuthorization, serveProtected } from "./authorization-server.ts";
import { openMcp, type World } from "./open-mcp.ts";

const DOCUMENT = "https://agents.example/client.json";
const ADD = { call: "mcp__files__add", arguments: { a: 1, b: 2 } } as const;

/** A process with the plugin. It may share its store with another one. */
async function openProcess(url: string, world?: World) {
  const auth = { kind: "oauth", redirectUrl: "http://localhost:3000/callback", clientMetadataUrl: DOCUMENT } as const;
  const plugin = mcp({ servers: { files: { url, protocol: "modern", auth } } });
  const opened = await openMcp({
    plugin,
    script: ({ tools, messages }) => {
      const isFirst = messages.at(-1)?.role === "user";
      return isFirst && tools.some(({ id }) => id === ADD.call) ? [ADD] : `${tools.length} tools`;
    },
    ...(world !== undefined && { world }),
  });
  const ask = async (): Promise<string> => {
    const outcome = await opened.runtime.runToCompletion({ agent: "agent", input: "go" });
    const { messages } = await opened.runtime.threads.messages(outcome.run?.thread_id ?? "");
    return JSON.stringify(messages.map(({ content }) => content));
  };
  return { ...opened, plugin, ask };
}

/** The way of a person: to the authorization server, and back. */
async function callbackOf(plugin: McpPlugin): Promise<string> {
  const [status] = plugin.status();
  expect(status?.state).toBe("needs_authorization");
  const answer = await fetch(status?.authorizationUrl ?? "", { redirect: "manual" });
  return answer.headers.get("location") ?? "";
}

async function authorized() {
  const issuers: AuthorizationServer[] = [await serveAuthorization()];
  const current = (): AuthorizationServer => issuers.at(-1) as AuthorizationServer;
  const url = await serveProtected(current);
  const process = await openProcess(url);
  await process.ask();
  await process.plugin.finishAuthorization("files", await callbackOf(process.plugin));
  return { ...process, url, issuers, current };
}

it("lets a person authorize with the client id metadata document, and another process needs no person", async () => {
  const { ask, url, current, store, blobs } = await authorized();
  expect(current().forms).toMatchObject([{ grant_type: "authorization_code", client_id: DOCUMENT }]);
  expect(await ask()).toContain('{\\"sum\\":3}');
  const second = await openProcess(url, { store, blobs });
  expect(await second.ask()).toContain('{\\"sum\\":3}');
  expect(current().forms).toHaveLength(1);
});

it("refreshes a token that has expired, without a person", async () => {
  const { ask, current, plugin } = await authorized();
  current().expire();
  expect(await ask()).toContain('{\\"sum\\":3}');
  expect(current().forms.map(({ grant_type }) => grant_type)).toEqual(["authorization_code", "refresh_token"]);
  expect(plugin.status()).toMatchObject([{ state: "ready" }]);
});

it("asks a person again when the refresh is refused", async () => {
  const { ask, current, plugin } = await authorized();
  current().revoke();
  expect(await ask()).not.toContain("sum");
  await plugin.refresh().catch(() => undefined);
  await plugin.finishAuthorization("files", await callbackOf(plugin));
  expect(await ask()).toContain('{\\"sum\\":3}');
});

it("sends a new authorization server nothing that another one issued", async () => {
  const { ask, issuers, plugin, current } = await authorized();
  const [first] = issuers;
  issuers.push(await serveAuthorization());
  await ask();
  await plugin.refresh().catch(() => undefined);
  await plugin.finishAuthorization("files", await callbackOf(plugin));
  expect(current().forms).toMatchObject([{ grant_type: "authorization_code" }]);
  expect(first?.forms).toHaveLength(1);
  expect(await ask()).toContain('{\\"sum\\":3}');
});

it.each([
  ["a person refused", (callback: URL) => callback.searchParams.set("error", "access_denied")],
  ["another state", (callback: URL) => callback.searchParams.set("state", "guessed")],
  ["another issuer", (callback: URL) => callback.searchParams.set("iss", "https://evil.example")],
])("takes no token from a callback with %s", async (_, change) => {
  const server = await serveAuthorization();
  const { ask, plugin } = await openProcess(await serveProtected(() => server));
  await ask();
  const callback = new URL(await callbackOf(plugin));
  change(callback);
  if (callback.searchParams.has("error")) callback.searchParams.delete("code");
  await expect(plugin.finishAuthorization("files", callback.href)).rejects.toThrow();
  expect(server.forms).toEqual([]);
  expect(await ask()).not.toContain("sum");
});
