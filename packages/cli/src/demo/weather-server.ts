// A small MCP server of the demonstration, without any library: JSON-RPC over standard input and output, one message a line.
import { createInterface } from "node:readline";

const FORECASTS: Readonly<Record<string, { readonly celsius: number; readonly sky: string }>> = {
  Berlin: { celsius: 7, sky: "cloudy" },
  Lisbon: { celsius: 19, sky: "clear" },
  Oslo: { celsius: -2, sky: "snow" },
};

const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

const TOOLS = [
  {
    name: "forecast",
    description: `Tells the weather of a city. It knows ${Object.keys(FORECASTS).join(", ")}.`,
    inputSchema: CITY,
    annotations: { readOnlyHint: true },
  },
  {
    name: "report_wrong",
    description: "Reports that the forecast of a city was wrong.",
    inputSchema: CITY,
    annotations: { destructiveHint: false },
  },
];

interface Parameters {
  readonly name?: string;
  readonly protocolVersion?: string;
  readonly arguments?: { readonly city?: string };
}

function answer(method: string, { name, protocolVersion, arguments: given = {} }: Parameters): object | undefined {
  if (method === "initialize") {
    const serverInfo = { name: "weather", version: "1.0.0" };
    return { protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === "tools/list") return { tools: TOOLS };
  return method === "tools/call" ? call(name ?? "", given.city ?? "") : undefined;
}

function call(tool: string, city: string): object {
  const text = (said: string): object => ({ content: [{ type: "text", text: said }] });
  if (tool === "report_wrong") return text(`Thank you. We look at ${city} again.`);
  const forecast = Object.hasOwn(FORECASTS, city) ? FORECASTS[city] : undefined;
  if (forecast === undefined) return { ...text(`There is no forecast for ${city}.`), isError: true };
  return { ...text(`${forecast.celsius} degrees, ${forecast.sky}`), structuredContent: forecast };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  // Notifications need no answer.
  if (id === undefined) continue;
  const result = answer(method, params);
  const missing = { error: { code: -32601, message: `There is no method ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? missing : { result }) })}\n`);
}
