import { createHash } from "node:crypto";
import {
  addUserMessage,
  changeState,
  type MarkedEffect,
  type MarkedResult,
  type PhaseAction,
  type Tool,
  type ToolContext,
  toolEffect,
  toolResult,
} from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { permissionGrants } from "../permission/permission-state.ts";
import { activeSkills } from "./active-skills.ts";
import { normalizeName, type Skill, type SkillDefinition } from "./skill.ts";
import { describeInstructions } from "./skill-catalogue.ts";
import { SkillError } from "./skill-files.ts";
import { loadInstructions, loadResource } from "./skill-source.ts";

/** The skills of the run that calls the tools. */
export interface SkillsOfRun {
  /** Those the agent and the run may use. */
  readonly skills: readonly Skill[];
  /** Whether an active skill is granted its tools. */
  readonly grantsTools: boolean;
}

/** Names a run: run ids are unique within their tenant. */
export type RunName = Pick<ToolContext["identity"], "tenant" | "runId">;

/** The part of the plugin that the tools need. */
export interface SkillBook {
  readonly defined: readonly SkillDefinition[];
  ofRun(run: RunName): SkillsOfRun;
}

interface SkillCall {
  readonly skill: string;
  readonly args?: string;
  readonly arguments?: string;
}

const skillName = { type: "string", description: "The name of the skill." };

/** The tool with which the model activates a skill. */
export function skillTool(book: SkillBook): Tool {
  return defineTool({
    id: "skill",
    description:
      "Activates a skill: its instructions become part of the conversation. Use it before you begin a task that fits the skill.",
    // The same activation twice changes nothing more.
    idempotent: true,
    inputSchema: {
      type: "object",
      properties: {
        skill: skillName,
        args: {
          type: "string",
          maxLength: 8_192,
          description: "What the skill is to be used on, if it takes arguments.",
        },
        arguments: { type: "string", maxLength: 8_192, description: "Another name of args." },
      },
      required: ["skill"],
      additionalProperties: false,
    },
    execute: (call: SkillCall, context) =>
      answer("skill", async (): Promise<MarkedEffect> => {
        const { grantsTools } = book.ofRun(context.identity);
        const skill = findSkill(book, context, call.skill);
        const instructions = await context.record("instructions", () => loadInstructions(skill, book.defined));
        const given = call.args ?? call.arguments ?? "";
        const content_id = contentIdOf(instructions);
        const result = { activated: true, skill_id: skill.name };
        const active = context.state.get(activeSkills);
        if (Object.hasOwn(active, skill.name) && active[skill.name]?.content_id === content_id && given === "") {
          return toolEffect({ ...result, already_active: true }, []);
        }
        const content = describeInstructions(skill, instructions, given);
        return toolEffect(result, [
          changeState(activeSkills.activate(skill.name, { content_id })),
          ...(grantsTools ? grantsOf(skill) : []),
          addUserMessage({ role: "user", content, visibility: "internal" }),
        ]);
      }),
  });
}

/** The tool with which the model reads a file of a skill. */
export function resourceTool(book: SkillBook): Tool {
  return defineTool({
    id: "load_skill_resource",
    description:
      "Loads a file of a skill that its instructions name: a text below references/, or a file below assets/ as base64.",
    class: "read_only",
    inputSchema: {
      type: "object",
      properties: {
        skill: skillName,
        path: { type: "string", maxLength: 512, description: "Such as references/guide.md." },
        kind: { enum: ["reference", "asset"], description: "What the file is, unless its path says so." },
      },
      required: ["skill", "path"],
      additionalProperties: false,
    },
    execute: (
      call: { readonly skill: string; readonly path: string; readonly kind?: "reference" | "asset" },
      context,
    ) =>
      answer("load_skill_resource", async (): Promise<Json> => {
        const skill = findSkill(book, context, call.skill);
        const { path, kind = path.startsWith("assets/") ? "asset" : "reference" } = call;
        // A resource is plain JSON; its interface hides that from the compiler.
        const load = async () =>
          ({ ...(await loadResource(skill, book.defined, path, kind)) }) as { [key: string]: Json };
        return { loaded: true, skill_id: skill.name, kind, path, ...(await context.record("resource", load)) };
      }),
  });
}

/** The name of a skill as a model or a user writes it. */
export function readName(given: string): string {
  return normalizeName(given.trim().replace(/^\//, "")).toLowerCase();
}

/** A skill that the model may use in this run: one in its catalogue, or one that a user activated. */
export function findSkill(book: SkillBook, { identity, state }: ToolContext, given: string): Skill {
  const name = readName(given);
  const { skills } = book.ofRun(identity);
  const skill = skills.find((each) => each.name === name);
  if (skill?.modelInvocable || (skill !== undefined && Object.hasOwn(state.get(activeSkills), name))) return skill;
  const known = skills.filter(({ modelInvocable }) => modelInvocable).map((each) => each.name);
  const some = known.slice(0, 32).join(", ");
  throw new SkillError(
    "unknown_skill",
    `There is no skill ${JSON.stringify(given.slice(0, 64))}. Skills: ${some || "none"}.`,
  );
}

/** Lets the run use the skill's tools without asking. Rules that deny still win. */
export function grantsOf({ allowedTools }: Skill): readonly PhaseAction<"state">[] {
  return allowedTools.map((pattern) => changeState(permissionGrants.grant(pattern)));
}

/** Answers a call. A problem with the skill is a result for the model; anything else is a failure of the tool. */
export async function answer<Output extends Json | MarkedEffect>(
  tool: string,
  run: () => Promise<Output>,
): Promise<Output | MarkedResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const { code, message } = error;
    return toolResult({ tool_name: tool, status: "error", data: { error: { code, message } }, message, metadata: {} });
  }
}

/** Names a text by what it says. */
export function contentIdOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
