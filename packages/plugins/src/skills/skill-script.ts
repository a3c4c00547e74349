import { type BeforeToolExecuteContext, type PhaseAction, suspendCall, type Tool } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { defineTool } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { interpreterOf, runScript, type ScriptOptions } from "./run-script.ts";
import { digestScripts, loadPin, SCRIPT_PINS, savePin } from "./script-pins.ts";
import type { Skill } from "./skill.ts";
import { assertResourcePath, findSkillFile, SkillError } from "./skill-files.ts";
import { answer, findSkill, readName, type SkillBook } from "./skill-tools.ts";

const MAX_ARGUMENTS = 64;
const MAX_ARGUMENT_BYTES = 8_192;
const MAX_TOTAL_BYTES = 65_536;

interface ScriptInput {
  readonly skill: string;
  readonly script: string;
  readonly args?: readonly string[];
}

/** The tool with which the model runs a script of a skill. */
export function scriptTool(book: SkillBook, options: ScriptOptions): Tool {
  return defineTool({
    id: "skill_script",
    description:
      "Runs a script of a skill that its instructions name, with the given arguments, and answers with its output.",
    destructive: true,
    capabilities: ["process"],
    // The script has a limit of its own.
    timeoutMs: null,
    inputSchema: {
      type: "object",
      properties: {
        skill: { type: "string", description: "The name of the skill." },
        script: { type: "string", maxLength: 512, description: "Such as scripts/check.sh." },
        args: {
          type: "array",
          maxItems: MAX_ARGUMENTS,
          items: { type: "string" },
          description: "One item for each argument.",
        },
      },
      required: ["skill", "script"],
      additionalProperties: false,
    },
    validate: ({ args = [] }: ScriptInput) => findArgumentProblem(args),
    execute: ({ skill: name, script, args = [] }: ScriptInput, context) =>
      answer("skill_script", async (): Promise<Json> => {
        const skill = findSkill(book, context, name);
        assertResourcePath(script, "scripts");
        interpreterOf(script);
        const { folder } = skill;
        if (folder === undefined) throw new SkillError("invalid_path", `The skill ${skill.name} has no scripts.`);
        const pins = context.documents(SCRIPT_PINS);
        const pin = await loadPin(pins, folder);
        const digest = await context.record("scripts", () => digestScripts(folder));
        if (pin.digest !== undefined && pin.digest !== digest && context.decision === undefined) {
          throw new SkillError("script_failed", "The scripts of the skill just changed. Call the tool again.");
        }
        await savePin(pins, folder, digest, pin);
        const outcome = await context.record("script", async () => {
          const file = await findSkillFile(folder, script);
          const { signal } = context;
          // An outcome is plain JSON; its interface hides that from the compiler.
          return { ...(await runScript({ file, arguments: args, folder, signal }, options)) } as {
            [key: string]: Json;
          };
        });
        return { skill_id: skill.name, script, ...outcome };
      }),
  });
}

function findArgumentProblem(args: readonly string[]): string | undefined {
  const sizes = args.map((argument) => Buffer.byteLength(argument));
  if (sizes.some((size) => size > MAX_ARGUMENT_BYTES)) return `an argument has at most ${MAX_ARGUMENT_BYTES} bytes`;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total > MAX_TOTAL_BYTES) return `the arguments have at most ${MAX_TOTAL_BYTES} bytes together`;
  return args.some((argument) => argument.includes("\u0000")) ? "an argument has no NUL character" : undefined;
}

/** Asks a person before scripts run that are not those which ran before: to allow a script once is not to allow what it becomes. */
export async function askAboutChangedScripts(
  context: BeforeToolExecuteContext,
  skills: readonly Skill[],
): Promise<readonly PhaseAction<"suspend">[]> {
  const { call } = context;
  const wanted = call.toolId === "skill_script" && isPlainObject(call.arguments) ? call.arguments : {};
  const name = typeof wanted.skill === "string" ? readName(wanted.skill) : undefined;
  const folder = skills.find((skill) => skill.name === name)?.folder;
  if (folder === undefined) return [];
  const pin = await loadPin(context.documents(SCRIPT_PINS), folder);
  if (pin.digest === undefined) return [];
  // Scripts that cannot be read are refused by the tool itself.
  const digest = await context.record("scripts", () => digestScripts(folder).catch(() => null));
  if (digest === null || digest === pin.digest) return [];
  const message = `The scripts of the skill ${name} have changed since they last ran. Run ${String(wanted.script).slice(0, 512)}?`;
  return [suspendCall({ action: "skill_scripts_changed", message })];
}
