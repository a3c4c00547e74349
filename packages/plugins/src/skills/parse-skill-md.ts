import { isPlainObject } from "@reprise/contracts/shape";
import { cleanText } from "../model-text/catalogue-text.ts";
import {
  findNameProblem,
  isGrantable,
  MAX_COMPATIBILITY,
  MAX_DESCRIPTION,
  normalizeName,
  type Skill,
  type SkillProblem,
} from "./skill.ts";

/** Front matter is a few lines. More than this is no description of a skill, and takes YAML too long. */
const MAX_FRONT_MATTER = 8_192;

/** A parsed SKILL.md. When there is no skill, the problems say why. */
export interface ParsedSkill {
  readonly skill?: Omit<Skill, "folder">;
  readonly instructions: string;
  readonly problems: readonly Omit<SkillProblem, "path">[];
}

/**
 * Reads a SKILL.md. Lenient: whatever leaves the meaning clear is a warning. The folder's name is the skill's name; a `name` that differs is a
 * warning, because the folder is what people see and what cannot be taken twice.
 */
export async function parseSkillMd(text: string, folderName: string): Promise<ParsedSkill> {
  const problems: Omit<SkillProblem, "path">[] = [];
  const warn = (message: string): void => void problems.push({ level: "warning", message });
  const fail = (message: string): ParsedSkill => ({
    instructions: "",
    problems: [...problems, { level: "error", message }],
  });

  const parts = splitFrontMatter(text);
  if (typeof parts === "string") return fail(parts);
  const fields = await readYaml(parts.frontMatter, warn);
  if (typeof fields === "string") return fail(fields);
  for (const key of Object.keys(fields)) {
    if (!KEYS.has(key)) warn(`the key ${JSON.stringify(key)} is not known and has no effect`);
  }

  const name = normalizeName(folderName);
  const nameProblem = findNameProblem(name);
  if (nameProblem !== undefined) return fail(`the folder cannot name a skill: ${nameProblem}`);
  const given = typeof fields.name === "string" ? normalizeName(fields.name) : undefined;
  if (given !== name) warn(`\`name\` must be the name of the folder, ${JSON.stringify(name)}, which is used`);

  const description = readText(fields, "description", MAX_DESCRIPTION, warn);
  if (description === undefined) return fail("`description` must be a non-empty string");
  const license = readText(fields, "license", MAX_COMPATIBILITY, warn);
  const compatibility = readText(fields, "compatibility", MAX_COMPATIBILITY, warn);
  const metadata = readMetadata(fields.metadata, warn);
  const skill: Omit<Skill, "folder"> = {
    name,
    description,
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(metadata !== undefined && { metadata }),
    allowedTools: readAllowedTools(fields["allowed-tools"], warn),
    modelInvocable: !readFlag(fields, "disable-model-invocation", false, warn),
    userInvocable: readFlag(fields, "user-invocable", true, warn),
  };
  return { skill, instructions: cleanText(parts.body).trim(), problems };
}

const KEYS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
  "disable-model-invocation",
  "user-invocable",
]);

/** The parts of the file, or what is wrong with it. Looks no further for the end of the front matter than it may be long. */
function splitFrontMatter(text: string): { readonly frontMatter: string; readonly body: string } | string {
  const start = /^\ufeff?---[ \t]*\r?\n/.exec(text)?.[0];
  if (start === undefined) return "the file must begin with a line `---`";
  const head = text.slice(start.length, start.length + MAX_FRONT_MATTER);
  const end = /(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(head);
  if (end === null) return `the front matter must end with a line \`---\` within ${MAX_FRONT_MATTER} characters`;
  return {
    frontMatter: head.slice(0, end.index),
    body: text.slice(start.length + end.index + end[0].length),
  };
}

type Fields = { readonly [key: string]: unknown };

/** Reads YAML in which every scalar is a text. Aliases are refused: they make much of little. */
async function readYaml(text: string, warn: (message: string) => void): Promise<Fields | string> {
  // Loaded with the first skill: hosts that have none start without it.
  const { parseDocument } = await import("yaml");
  const strictly = parseYaml(parseDocument, text);
  if (typeof strictly !== "string") return strictly;
  // The usual mistake is a colon in a description without quotes.
  const quoted = text.replaceAll(
    /^(description|compatibility|license|allowed-tools):[ \t]+([^\s"'>|&*].*)$/gm,
    (_, key: string, value: string) => `${key}: ${JSON.stringify(value.trimEnd())}`,
  );
  const leniently = parseYaml(parseDocument, quoted);
  if (typeof leniently === "string") return `the front matter is not valid YAML: ${strictly}`;
  warn("a value with a colon needs quotes");
  return leniently;
}

function parseYaml(parseDocument: typeof import("yaml").parseDocument, text: string): Fields | string {
  try {
    const document = parseDocument(text, { schema: "failsafe", prettyErrors: false, logLevel: "silent" });
    const [error] = document.errors;
    if (error !== undefined) return error.message;
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return isPlainObject(value) ? value : "it must be a map of keys to values";
  } catch (error) {
    // Too deep for the parser, or an alias.
    return error instanceof ReferenceError ? "it has aliases" : "it cannot be read";
  }
}

function readText(fields: Fields, key: string, most: number, warn: (message: string) => void): string | undefined {
  const value = fields[key];
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? cleanText(value).replaceAll(/\s+/g, " ").trim() : "";
  if (text === "") {
    warn(`\`${key}\` must be a non-empty string`);
    return undefined;
  }
  if (text.length <= most) return text;
  warn(`\`${key}\` has more than ${most} characters and is cut`);
  return text.slice(0, most).toWellFormed();
}

function readFlag(fields: Fields, key: string, missing: boolean, warn: (message: string) => void): boolean {
  const value = fields[key];
  if (value === undefined) return missing;
  if (value === "true") return true;
  if (value === "false") return false;
  warn(`\`${key}\` must be true or false`);
  return missing;
}

function readMetadata(value: unknown, warn: (message: string) => void): Record<string, string> | undefined {
  if (value === undefined) return undefined;
  const entries = isPlainObject(value) ? Object.entries(value) : [];
  const texts = entries.flatMap(([key, text]) =>
    typeof text === "string" && key !== "__proto__" ? [[cleanText(key), cleanText(text)] as const] : [],
  );
  if (!isPlainObject(value) || texts.length < entries.length) warn("`metadata` must be a map of strings to strings");
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

const MAX_GRANTS = 64;

/** Patterns with spaces between them, in which brackets and quotes are closed. Where that is not clear, nothing is granted. */
function readAllowedTools(value: unknown, warn: (message: string) => void): readonly string[] {
  if (value === undefined || value === "") return [];
  if (Array.isArray(value)) warn("`allowed-tools` must be one string with spaces between the tools");
  const text = Array.isArray(value) ? value.map(String).join(" ") : value;
  const patterns = typeof text === "string" ? splitPatterns(cleanText(text)) : undefined;
  if (patterns !== undefined && patterns.length <= MAX_GRANTS) {
    const granted = patterns.filter(isGrantable);
    if (granted.length < patterns.length) {
      warn("`allowed-tools` must name each tool without wildcards; the others are not granted");
    }
    return granted;
  }
  warn(
    `\`allowed-tools\` must be at most ${MAX_GRANTS} patterns with balanced brackets and quotes; nothing is granted`,
  );
  return [];
}

function splitPatterns(text: string): readonly string[] | undefined {
  const patterns: string[] = [];
  let current = "";
  let depth = 0;
  let quote = "";
  for (const character of text) {
    const isOutside = depth === 0 && quote === "";
    if (isOutside && /[\s,]/.test(character)) {
      if (current !== "") patterns.push(current);
      current = "";
      continue;
    }
    current += character;
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (depth < 0) return undefined;
  }
  if (depth !== 0 || quote !== "") return undefined;
  return current === "" ? patterns : [...patterns, current];
}
