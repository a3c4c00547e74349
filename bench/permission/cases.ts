import type { Json } from "@reprise/state";
import type { PermissionRule } from "../../packages/plugins/src/permission/rule.ts";

export const RULES = 1_000;

/** Rules, and a call that is held against them. */
export interface Case {
  readonly name: string;
  readonly rules: readonly PermissionRule[];
  readonly tool: string;
  readonly arguments: Json;
  /** What must come out, so that nothing else is measured. */
  readonly expected: "allow" | "ask" | "deny";
}

const COMMAND = { command: "git commit --message fix", cwd: "/home/ada/project" };

function make(count: number, rule: (index: number) => string, behavior: PermissionRule["behavior"] = "deny") {
  return Array.from({ length: count }, (_, index): PermissionRule => ({ tool: rule(index), behavior }));
}

export const CASES: readonly Case[] = [
  {
    name: "mixed: 700 tools, 150 globs, 50 regular expressions, 100 conditions on the tool's arguments",
    rules: [
      ...make(700, (index) => `tool_${index}`, "allow"),
      ...make(150, (index) => `mcp__server${index}__*`, "allow"),
      ...make(50, (index) => `/^db_(drop|truncate)_${index}$/`),
      ...make(60, (index) => `shell(command ~ "rm${index} *")`),
      ...make(20, (index) => `shell(command =~ "^sudo${index}\\b")`),
      ...make(20, (index) => `shell(cwd = "/srv/${index}", command ~ "git *")`, "allow"),
    ],
    tool: "shell",
    arguments: COMMAND,
    expected: "ask",
  },
  {
    name: "1,000 tools by their ids",
    rules: make(RULES, (index) => `tool_${index}`),
    tool: "tool_500",
    arguments: COMMAND,
    expected: "deny",
  },
  {
    name: "1,000 globs over tools",
    rules: make(RULES, (index) => `*_${index}_*`),
    tool: "shell",
    arguments: COMMAND,
    expected: "ask",
  },
  {
    name: "1,000 regular expressions over tools",
    rules: make(RULES, (index) => `/^a${index}_.*z$/`),
    tool: "shell",
    arguments: COMMAND,
    expected: "ask",
  },
  {
    name: "1,000 globs over one argument of the tool, none fits",
    rules: make(RULES, (index) => `shell(command ~ "npm run ${index} *")`),
    tool: "shell",
    arguments: COMMAND,
    expected: "ask",
  },
  {
    name: "1,000 globs with text on both sides, none fits",
    rules: make(RULES, (index) => `shell(command ~ "*push ${index}*")`),
    tool: "shell",
    arguments: COMMAND,
    expected: "ask",
  },
  {
    name: "1,000 regular expressions over one argument, none fits",
    rules: make(RULES, (index) => `shell(command =~ "^npm (run|exec) ${index}$")`),
    tool: "shell",
    arguments: COMMAND,
    expected: "ask",
  },
  {
    name: "the same, and the call begins as all of them do",
    rules: make(RULES, (index) => `shell(command =~ "^npm (run|exec) ${index}$")`),
    tool: "shell",
    arguments: { command: "npm run build --workspace server" },
    expected: "ask",
  },
  {
    name: "1,000 regular expressions without three plain letters in a row, none fits",
    rules: make(RULES, (index) => `shell(command =~ "^[a-f]+ \\d{1,3} [x-z]?${index % 10}$")`),
    tool: "shell",
    arguments: COMMAND,
    expected: "ask",
  },
];
