import type { Plugin } from "@reprise/contracts";
import { skills } from "@reprise/plugins/skills";
import type { JsonObject } from "@reprise/state";

const HAIKU = {
  name: "haiku",
  description: "Writes a haiku about a word of Reprise. Use it when the user wants a poem.",
  instructions:
    "Look the word up with the tool lookUp. Then write three lines of five, seven and five syllables about it, and nothing else.",
};

/** Plugins of the demonstration with options that only code can give. */
export function demoPlugins(): readonly Plugin[] {
  return [skills({ skills: [HAIKU], scan: [] })];
}

/** Plugins of the agent `ruled`. Those that need a package which is not installed are left out. */
export function ruledPlugins(): { readonly plugin_ids: readonly string[]; readonly sections: JsonObject } {
  const hasMcp = isInstalled("@modelcontextprotocol/client");
  return {
    plugin_ids: [
      "permission",
      "context",
      "skills",
      ...(hasMcp ? ["mcp"] : []),
      ...(isInstalled("@opentelemetry/api") ? ["observability"] : []),
    ],
    sections: {
      permission: { default: "ask", rules: RULES },
      ...(hasMcp && { mcp: { servers: { weather: { command: process.execPath, args: [weatherServer()] } } } }),
    },
  };
}

const allow = (tool: string): JsonObject => ({ tool, behavior: "allow" });

/** Reading is free, mails never leave, and everything else is asked about. */
const RULES: readonly JsonObject[] = [
  ...["echo", "clock", "calculator", "lookUp", "serverInfo", "skill", "load_skill_resource"].map(allow),
  allow("mcp__weather__forecast"),
  { tool: 'sendEmail(to ~ "*@example.org")', behavior: "deny", reason: "Mails to example.org are not permitted." },
];

function weatherServer(): string {
  const isSource = import.meta.url.endsWith(".ts");
  const file = new URL(isSource ? "./weather-server.ts" : "./demo/weather-server.js", import.meta.url);
  return decodeURIComponent(file.pathname);
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
