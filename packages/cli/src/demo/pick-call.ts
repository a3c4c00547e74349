import type { Json } from "@reprise/state";

/** A call the demonstration model makes. */
export interface DemoCall {
  readonly tool: string;
  readonly arguments: { readonly [key: string]: Json };
}

/** A rule: words of the user, and the call they stand for. */
interface Rule {
  readonly tool: string;
  readonly pattern: RegExp;
  arguments(match: RegExpExecArray, said: string): DemoCall["arguments"];
}

const NONE = (): DemoCall["arguments"] => ({});

// Both begin only where a run of their first characters begins: otherwise a long run would be read once for each of its characters.
const EXPRESSION = /(?<![-+(])[-+(]*\.?\d[\d.\s+\-*/%^()]*/;
const ADDRESS = /(?<![^\s@<>,;])[^\s@<>,;]+@[^\s@<>,;]+[^\s@<>,;.]/;

/** In this order: what is more special goes first. */
const RULES: readonly Rule[] = [
  {
    tool: "echo",
    pattern: /\becho\b[\s:]*(.*)/is,
    arguments: ([, message = ""]) => ({ message: message.trim() || "Hello!" }),
  },
  { tool: "sendEmail", pattern: /\be?-?mail\b/i, arguments: (_, said) => writeMail(said) },
  {
    tool: "mcp__weather__report_wrong",
    pattern: /\bweather in (\w+) is wrong/i,
    arguments: ([, city = ""]) => ({ city }),
  },
  {
    tool: "mcp__weather__forecast",
    pattern: /\bweather in (\w+)/i,
    arguments: ([, city = ""]) => ({ city }),
  },
  { tool: "skill", pattern: /\bskill (\w+)/i, arguments: ([, skill = ""]) => ({ skill }) },
  { tool: "finish", pattern: /\bfinish(ed)?\b/i, arguments: (_, said) => ({ summary: said }) },
  { tool: "slowTask", pattern: /\bslow(ly|Task)?\b/i, arguments: NONE },
  { tool: "failingTool", pattern: /\bfail(s|ing|ingTool)?\b/i, arguments: NONE },
  { tool: "calculator", pattern: EXPRESSION, arguments: ([text]) => ({ expression: text.trim() }) },
  { tool: "clock", pattern: /\b(time|clock|date|day)\b/i, arguments: NONE },
  { tool: "serverInfo", pattern: /\b(server|serverInfo|version|uptime)\b/i, arguments: NONE },
  {
    tool: "lookUp",
    pattern: /\bwhat is an? (\w+)|\bexplain (?:an? )?(\w+)/i,
    arguments: ([, what, word]) => ({ word: what ?? word ?? "" }),
  },
];

/** `call mcp__weather__forecast {"city": "Lisbon"}`: any tool by its id, such as one that a server brought. */
const BY_NAME = /\bcall\s+([\w-]+)\s*(\{.*\})?/is;

function pickByName(said: string, tools: readonly string[]): DemoCall | undefined {
  const [, tool = "", text = "{}"] = BY_NAME.exec(said) ?? [];
  if (!tools.includes(tool)) return undefined;
  try {
    return { tool, arguments: JSON.parse(text) };
  } catch {
    return { tool, arguments: {} };
  }
}

/** The call that the user's words ask for, among the tools there are; undefined when they ask for none. */
export function pickCall(said: string, tools: readonly string[]): DemoCall | undefined {
  const named = pickByName(said, tools);
  if (named !== undefined) return named;
  for (const rule of RULES) {
    if (!tools.includes(rule.tool)) continue;
    const match = rule.pattern.exec(said);
    if (match === null || !isMeant(rule, match[0])) continue;
    return { tool: rule.tool, arguments: rule.arguments(match, said) };
  }
  return undefined;
}

/** A number alone is no question; an expression is. */
function isMeant({ tool }: Rule, matched: string): boolean {
  return tool !== "calculator" || /\d\s*[-+*/%^(]/.test(matched) || /[(-]\s*\d/.test(matched);
}

/** Makes a mail of a sentence such as "send a mail to ann@example.com saying that lunch is ready". */
export function writeMail(said: string): DemoCall["arguments"] {
  const [to = "team@example.com"] = ADDRESS.exec(said) ?? [];
  const [, text] = /\b(?:saying|that says|about|with)\b[\s:]*(.+)/is.exec(said) ?? [];
  return { to, subject: "From the Reprise demonstration", body: (text ?? said).trim() };
}
