import { RepriseError } from "@reprise/contracts";

/** The client of the official SDK. Programs without MCP servers need not install it. */
export type McpSdk = typeof import("@modelcontextprotocol/client") &
  typeof import("@modelcontextprotocol/client/stdio");

let loading: Promise<McpSdk> | undefined;

/** Loads the client when the first server is connected. */
export function loadClient(): Promise<McpSdk> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<McpSdk> {
  try {
    const [client, stdio] = await Promise.all([
      import("@modelcontextprotocol/client"),
      import("@modelcontextprotocol/client/stdio"),
    ]);
    return { ...client, ...stdio };
  } catch (cause) {
    const message =
      "The plugin mcp needs the package @modelcontextprotocol/client. Run: npm install @modelcontextprotocol/client";
    throw new RepriseError("INVALID_DEFINITION", message, { cause });
  }
}
