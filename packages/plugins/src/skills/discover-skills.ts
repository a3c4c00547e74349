import { lstat, readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type ParsedSkill, parseSkillMd } from "./parse-skill-md.ts";
import type { Skill, SkillProblem } from "./skill.ts";
import { findSkillFile, readFileStart } from "./skill-files.ts";

const MAX_SKILL_MD = 262_144;
const MAX_SKILLS = 256;
const MAX_CACHED = 1_024;

/** Where skills are looked for. Of two with one name the first found counts: configured folders, then the project's, then the user's. */
export interface SkillPlaces {
  /** Folders that contain folders of skills. */
  readonly folders?: readonly string[];
  /** Whether `.agents/skills` of the working folder and of the user's home are looked into; both unless given. */
  readonly scan?: readonly ("project" | "user")[];
}

export interface DiscoveredSkills {
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** Finds the skills on disk. Never throws: whatever is wrong is among the problems. */
export async function discoverSkills({
  folders = [],
  scan = ["project", "user"],
}: SkillPlaces = {}): Promise<DiscoveredSkills> {
  const configured = folders.map((folder) => ({ folder: resolve(folder), mustExist: true }));
  const scanned = (["project", "user"] as const)
    .filter((place) => scan.includes(place))
    .map((place) => join(place === "project" ? process.cwd() : homedir(), ".agents", "skills"))
    .map((folder) => ({ folder, mustExist: false }));
  const skills = new Map<string, Skill>();
  const problems: SkillProblem[] = [];
  for (const place of [...configured, ...scanned]) {
    const found = await readSkillFolder(place.folder, place.mustExist);
    problems.push(...found.problems);
    for (const skill of found.skills) {
      const other = skills.get(skill.name);
      if (other === undefined && skills.size >= MAX_SKILLS) {
        problems.push({
          path: skill.folder ?? "",
          level: "error",
          message: `there are more than ${MAX_SKILLS} skills`,
        });
      } else if (other === undefined) skills.set(skill.name, skill);
      else if (other.folder !== skill.folder) {
        const message = `the skill in ${other.folder} has the same name and is used instead`;
        problems.push({ path: skill.folder ?? "", level: "warning", message });
      }
    }
  }
  return { skills: [...skills.values()], problems };
}

const FRESH_MS = 1_000;
const MAX_RECENT = 64;
const recent = new Map<string, { readonly at: number; readonly found: Promise<DiscoveredSkills> }>();

/** The same, or what was found less than a second ago: of runs that begin together, one looks. */
export function discoverRecently(places: SkillPlaces): Promise<DiscoveredSkills> {
  const key = JSON.stringify([places, process.cwd(), homedir()]);
  const now = Date.now();
  const last = recent.get(key);
  if (last !== undefined && Math.abs(now - last.at) < FRESH_MS) return last.found;
  if (recent.size >= MAX_RECENT) recent.clear();
  const found = discoverSkills(places);
  recent.set(key, { at: now, found });
  return found;
}

/** Reads the SKILL.md of a skill again, with its instructions. */
export async function loadSkillMd(folder: string, name: string): Promise<ParsedSkill> {
  const file = await findSkillFile(folder, "SKILL.md");
  const { bytes, start } = await readFileStart(file, MAX_SKILL_MD);
  if (bytes > MAX_SKILL_MD) {
    const message = `SKILL.md must have at most ${MAX_SKILL_MD} bytes (got ${bytes})`;
    return { instructions: "", problems: [{ level: "error", message }] };
  }
  return parseSkillMd(start.toString("utf8"), name);
}

async function readSkillFolder(root: string, mustExist: boolean): Promise<DiscoveredSkills> {
  let names: readonly string[];
  try {
    const entries = await readdir(root, { withFileTypes: true });
    names = entries.flatMap((entry) =>
      (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith(".") ? [entry.name] : [],
    );
  } catch {
    const message = "the folder cannot be read";
    return { skills: [], problems: mustExist ? [{ path: root, level: "error", message }] : [] };
  }
  const found = await Promise.all(
    names
      .toSorted()
      .slice(0, MAX_SKILLS)
      .map((name) => readSkill(root, name)),
  );
  const left = names.length - MAX_SKILLS;
  const tooMany: SkillProblem = {
    path: root,
    level: "error",
    message: `${left} folders more than ${MAX_SKILLS} are not read`,
  };
  return {
    skills: found.flatMap(({ skill }) => skill ?? []),
    problems: [...found.flatMap(({ problems }) => problems), ...(left > 0 ? [tooMany] : [])],
  };
}

interface ReadSkill {
  readonly skill?: Skill;
  readonly problems: readonly SkillProblem[];
}

/** A skill with the signature of its file. Files with the same signature are not read again. */
interface CachedSkill extends ReadSkill {
  readonly signature: string;
}

const cache = new Map<string, CachedSkill>();

async function readSkill(root: string, name: string): Promise<ReadSkill> {
  const path = join(root, name, "SKILL.md");
  try {
    const folder = await realpath(join(root, name));
    const stats = await lstat(join(folder, "SKILL.md"));
    const signature = [folder, stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join();
    const cached = cache.get(path);
    // A link stays the same when its target changes.
    if (cached?.signature === signature && !stats.isSymbolicLink()) return cached;
    const { skill, problems } = await loadSkillMd(folder, name);
    const read: CachedSkill = {
      signature,
      ...(skill !== undefined && { skill: { ...skill, folder } }),
      problems: problems.map((problem) => ({ path, ...problem })),
    };
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(path, read);
    return read;
  } catch (error) {
    // A folder without a SKILL.md is no skill, and none of our business.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { problems: [] };
    return { problems: [{ path, level: "error", message: "SKILL.md must be a readable file inside its folder" }] };
  }
}
