import { extname } from "node:path";
import { loadSkillMd } from "./discover-skills.ts";
import type { Skill, SkillDefinition } from "./skill.ts";
import { assertResourcePath, findSkillFile, readFileStart, SkillError } from "./skill-files.ts";

const MAX_REFERENCE = 262_144;
const MAX_ASSET = 524_288;

/** A file of a skill, as the model gets it. */
export interface SkillResource {
  readonly bytes: number;
  readonly truncated: boolean;
  readonly content: string;
  readonly media_type?: string;
  readonly encoding?: "base64";
}

/** The instructions of a skill, from disk or from code. */
export async function loadInstructions(skill: Skill, defined: readonly SkillDefinition[]): Promise<string> {
  if (skill.folder === undefined) return defined.find(({ name }) => name === skill.name)?.instructions ?? "";
  const { skill: current, instructions, problems } = await loadSkillMd(skill.folder, skill.name);
  if (current !== undefined) return instructions;
  const reason = problems.find(({ level }) => level === "error")?.message ?? "it cannot be read";
  throw new SkillError("invalid_skill_md", `The skill ${skill.name} changed and can no longer be used: ${reason}.`);
}

/** A file below `references/`, as text, or below `assets/`, as base64. */
export async function loadResource(
  skill: Skill,
  defined: readonly SkillDefinition[],
  path: string,
  kind: "reference" | "asset",
): Promise<SkillResource> {
  const folder = kind === "asset" ? "assets" : "references";
  assertResourcePath(path, folder);
  const most = kind === "asset" ? MAX_ASSET : MAX_REFERENCE;
  const { bytes, start } =
    skill.folder === undefined
      ? readDefined(skill, defined, path, most)
      : await readFileStart(await findSkillFile(skill.folder, path), most);
  const truncated = bytes > start.length;
  const media_type = MEDIA_TYPES[extname(path).toLowerCase()];
  const type = media_type === undefined ? {} : { media_type };
  if (kind === "asset") return { bytes, truncated, content: start.toString("base64"), encoding: "base64", ...type };
  // A character that the limit cuts in half is left out; NUL is no text.
  const content = new TextDecoder().decode(start, { stream: truncated }).replaceAll("\u0000", "\ufffd");
  return { bytes, truncated, content, ...type };
}

function readDefined({ name }: Skill, defined: readonly SkillDefinition[], path: string, most: number) {
  const [folder, ...rest] = path.split("/");
  const definition = defined.find((each) => each.name === name);
  const files = (folder === "assets" ? definition?.assets : definition?.references) ?? {};
  const key = rest.join("/");
  const file = Object.hasOwn(files, key) ? files[key] : undefined;
  if (file === undefined) throw new SkillError("invalid_path", `The skill has no file ${JSON.stringify(path)}.`);
  const whole = Buffer.from(file);
  return { bytes: whole.length, start: whole.subarray(0, most) };
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".webp": "image/webp",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
};
