// A small MCP server without any library: JSON-RPC, one message a line, over standard input and output.
import { createInterface } from "node:readline";

const forecasts: Record<string, { celsius: number; sky: string }> = {
  Lisbon: { celsius: 24, sky: "clear" },
  Oslo: { celsius: 3, sky: "snow" },
};

const PAGE = "ui://weather/card";

const tools = [
  {
    name: "forecast",
    title: "Forecast",
    description: "Tells the weather of a city.",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    outputSchema: { type: "object", properties: { celsius: { type: "number" }, sky: { type: "string" } } },
    annotations: { readOnlyHint: true },
    _meta: { ui: { resourceUri: PAGE } },
  },
  {
    name: "report.wrong",
    description: "Reports that a forecast was wrong.",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    annotations: { destructiveHint: false },
  },
];

interface Params {
  readonly name?: string;
  readonly protocolVersion?: string;
  readonly uri?: string;
  readonly arguments?: { readonly city?: string };
}

function answer(method: string, { name, protocolVersion, uri, arguments: { city = "" } = {} }: Params): unknown {
  switch (method) {
    case "initialize":
      return {
        protocolVersion,
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: "weather", version: "1.0.0" },
      };
    case "tools/list":
      return { tools };
    case "resources/list":
      return { resources: [{ uri: PAGE, name: "card", mimeType: "text/html;profile=mcp-app" }] };
    case "resources/read":
      return {
        contents: [
          { uri, mimeType: "text/html;profile=mcp-app", text: "<h1>Weather</h1><p>As told by the server.</p>" },
        ],
      };
    case "tools/call": {
      if (name === "report.wrong") return { content: [{ type: "text", text: `Thank you. We look at ${city} again.` }] };
      const found = forecasts[city];
      if (found === undefined)
        return { content: [{ type: "text", text: `There is no forecast for ${city}.` }], isError: true };
      return { content: [{ type: "text", text: JSON.stringify(found) }], structuredContent: found };
    }
    default:
      return undefined;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answer(method, params);
  const reply =
    result === undefined ? { error: { code: -32601, message: `There is no method ${method}.` } } : { result };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...reply }));
}
