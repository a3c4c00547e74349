import type { KeptDocuments } from "@reprise/contracts";
import { createMemoryStore } from "@reprise/stores/memory";
import { expect, it } from "vitest";
import { McpOAuth } from "./oauth.ts";

const FIRST = "https://first.example";
const SECOND = "https://second.example";

function openOAuth(): McpOAuth {
  const documents = createMemoryStore({ clock: { now: () => 0 } }).forTenant("t");
  const kind = "mcp_oauth";
  const kept: KeptDocuments = {
    load: (id) => documents.loadDocument(kind, id),
    save: (id, body, expected) => documents.saveDocument({ kind, id, body }, expected),
    delete: (id, expected) => documents.deleteDocument(kind, id, expected),
    list: (options) => documents.listDocuments({ kind, ...options }),
  };
  return new McpOAuth("files", { kind: "oauth", redirect_url: "http://localhost/callback" }, kept);
}

it("keeps the authorization server until the person is back, and looks for it anew the next time", async () => {
  const oauth = openOAuth();
  await oauth.saveDiscoveryState({ authorizationServerUrl: FIRST });
  expect(await oauth.discoveryState()).toEqual({ authorizationServerUrl: FIRST });
  await oauth.saveTokens({ access_token: "a", token_type: "Bearer" }, { issuer: FIRST });
  expect(await oauth.discoveryState()).toBeUndefined();
});

it("an authorization server gets no registration and no token of another one", async () => {
  const oauth = openOAuth();
  await oauth.saveClientInformation({ client_id: "c1" }, { issuer: FIRST });
  await oauth.saveTokens({ access_token: "a", token_type: "Bearer" }, { issuer: FIRST });
  expect(await oauth.clientInformation({ issuer: SECOND })).toBeUndefined();
  expect(await oauth.tokens({ issuer: SECOND })).toBeUndefined();
  expect(await oauth.clientInformation({ issuer: FIRST })).toEqual({ client_id: "c1" });
  expect(await oauth.tokens()).toMatchObject({ access_token: "a" });
});
