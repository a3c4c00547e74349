import { RepriseError } from "@reprise/contracts";
import { findPatternProblem } from "../tool-pattern/tool-pattern.ts";

/** A skill without its instructions: what SKILL.md says in its front matter, or what a definition says. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Tools that are granted to the run while the skill is active, as permission patterns. */
  readonly allowedTools: readonly string[];
  /** Whether the model sees the skill and may activate it. */
  readonly modelInvocable: boolean;
  /** Whether a user may activate it with `/name`. */
  readonly userInvocable: boolean;
  /** The real path of its folder; absent for a skill that is defined in code. */
  readonly folder?: string;
}

/** A skill that is defined in code. */
export interface SkillDefinition {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly allowedTools?: readonly string[];
  readonly modelInvocable?: boolean;
  readonly userInvocable?: boolean;
  /** Texts by their path below `references/`. */
  readonly references?: Readonly<Record<string, string>>;
  /** Files by their path below `assets/`. */
  readonly assets?: Readonly<Record<string, string | Uint8Array>>;
}

/** Something wrong with a skill. A skill with an error is left out; one with warnings is loaded as well as possible. */
export interface SkillProblem {
  /** The file, or the folder. */
  readonly path: string;
  readonly level: "error" | "warning";
  readonly message: string;
}

const MAX_NAME = 64;
export const MAX_DESCRIPTION = 1_024;
export const MAX_COMPATIBILITY = 500;

const NAME = /^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u;

/** The one form of a name: what looks the same is the same. */
export function normalizeName(name: string): string {
  return name.normalize("NFKC");
}

/** Says what is wrong with a normalized name, or undefined. */
export function findNameProblem(name: string): string | undefined {
  if (name.length < 1 || name.length > MAX_NAME) return `a name has 1 to ${MAX_NAME} characters`;
  if (!NAME.test(name)) return "a name has lowercase letters and digits, with single hyphens between them";
  // Letters of two alphabets in one name are how one skill passes for another.
  if (/[a-z]/.test(name) && /[^\P{L}a-z]/u.test(name)) return "a name does not mix Latin letters with others";
  return undefined;
}

/** Whether a skill may be granted a pattern: one tool, with or without a rule for its arguments. A skill cannot grant what it does not name. */
export function isGrantable(pattern: string): boolean {
  return /^[A-Za-z0-9_.:-]+(?:\(.*\))?$/s.test(pattern) && findPatternProblem(pattern) === undefined;
}

/** Checks a definition when the plugin is made. */
export function readDefinition(definition: SkillDefinition): Skill {
  const { name, description, license, compatibility, metadata } = definition;
  const problem =
    findNameProblem(name) ??
    (description.trim() === "" || description.length > MAX_DESCRIPTION
      ? `a description has 1 to ${MAX_DESCRIPTION} characters`
      : undefined) ??
    (definition.allowedTools?.every(isGrantable) === false ? "allowedTools must name each tool" : undefined);
  if (problem !== undefined || normalizeName(name) !== name) {
    const message = `The skill ${JSON.stringify(name)} is not well defined: ${problem ?? "its name is not in NFKC"}.`;
    throw new RepriseError("INVALID_DEFINITION", message, { details: { skill: name } });
  }
  return {
    name,
    description,
    ...(license !== undefined && { license }),
    ...(compatibility !== undefined && { compatibility }),
    ...(metadata !== undefined && { metadata }),
    allowedTools: definition.allowedTools ?? [],
    modelInvocable: definition.modelInvocable ?? true,
    userInvocable: definition.userInvocable ?? true,
  };
}
