import { basename, sep } from "node:path";
import {
  addSessionContext,
  type BeforeToolExecuteContext,
  changeState,
  excludeTool,
  type HookActions,
  type Message,
  type ModelRequest,
  noteContext,
  type PhaseAction,
  type PhaseContext,
  type Plugin,
  type PluginPart,
  textOf,
  transformRequest,
} from "@reprise/contracts";
import { flag, listOf, nonEmptyText, objectOf, oneOf, optional } from "@reprise/contracts/shape";
import { createCatalogueFilter, definePlugin } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { activeSkills } from "./active-skills.ts";
import { type DiscoveredSkills, discoverRecently } from "./discover-skills.ts";
import type { ScriptOptions } from "./run-script.ts";
import { readDefinition, type Skill, type SkillDefinition, type SkillProblem } from "./skill.ts";
import { describeCatalogue, describeInstructions } from "./skill-catalogue.ts";
import { askAboutChangedScripts, scriptTool } from "./skill-script.ts";
import { loadInstructions } from "./skill-source.ts";
import {
  contentIdOf,
  grantsOf,
  type RunName,
  readName,
  resourceTool,
  type SkillBook,
  type SkillsOfRun,
  skillTool,
} from "./skill-tools.ts";

export interface SkillsOptions {
  /** Skills that are defined here. They come before those on disk. */
  readonly skills?: readonly SkillDefinition[];
  /** Folders that contain folders of skills; relative to the working folder. */
  readonly folders?: readonly string[];
  /** Whether `.agents/skills` of the working folder (`project`) and of the user's home (`user`) are looked into; both unless given. */
  readonly scan?: readonly ("project" | "user")[];
  /** False: no skills, no tools. */
  readonly enabled?: boolean;
  /** Whether the model is told which skills there are; true unless given. */
  readonly advertiseCatalog?: boolean;
  /** Whether anything wrong with a skill fails the run. Otherwise the skill is loaded as well as possible, or left out. */
  readonly strict?: boolean;
  /** Whether the plugin `permission` lets a run use the `allowed-tools` of its active skills without asking; true unless given. */
  readonly grantTools?: boolean;
  /** Lets the model run scripts of skills. Off unless given, and only code can turn it on. */
  readonly scripts?: boolean | ScriptOptions;
}

interface SkillsSettings {
  readonly folders?: readonly string[];
  readonly scan?: readonly ("project" | "user")[];
  readonly enabled?: boolean;
  readonly advertise_catalog?: boolean;
  readonly strict?: boolean;
  readonly grant_tools?: boolean;
}

const SETTINGS = objectOf<SkillsSettings>({
  folders: optional(listOf(nonEmptyText), "Folders that contain folders of skills."),
  scan: optional(listOf(oneOf("project", "user")), "Whose `.agents/skills` are looked into. Both unless given."),
  enabled: optional(flag, "False: no skills, no tools."),
  advertise_catalog: optional(flag, "Whether the model is told which skills there are. True unless given."),
  strict: optional(flag, "Whether anything wrong with a skill fails the run. False unless given."),
  grant_tools: optional(flag, "Whether an active skill is granted its `allowed-tools`. True unless given."),
});

/** A skill that a user asked for with `/name`. */
interface TypedSkill {
  readonly skill: Skill;
  readonly instructions: string;
  readonly given: string;
}

/** The skills of an activation, and their problems. */
interface Opened extends SkillsOfRun {
  readonly problems: readonly SkillProblem[];
  readonly typed?: TypedSkill;
}

/** The skills of the runs that this process works on. A run that lost its claim may have two activations for a moment. */
class OpenedRuns {
  readonly #runs = new Map<string, { readonly opened: Opened; readonly activations: number }>();

  get(run: RunName): Opened | undefined {
    return this.#runs.get(keyOf(run))?.opened;
  }

  open(run: RunName, opened: Opened): void {
    const { activations = 0 } = this.#runs.get(keyOf(run)) ?? {};
    this.#runs.set(keyOf(run), { opened, activations: activations + 1 });
  }

  close(run: RunName): void {
    const known = this.#runs.get(keyOf(run));
    if (known === undefined || known.activations <= 1) this.#runs.delete(keyOf(run));
    else this.#runs.set(keyOf(run), { ...known, activations: known.activations - 1 });
  }
}

function keyOf({ tenant, runId }: RunName): string {
  return JSON.stringify([tenant, runId]);
}

/** Skills: instructions, files and scripts that a model loads when a task needs them. */
export function skills({ skills: defined = [], scripts = false, ...options }: SkillsOptions = {}): Plugin {
  const settings = definePluginSettings("skills", SETTINGS, options);
  const embedded = defined.map(readDefinition);
  const opened = new OpenedRuns();
  const book: SkillBook = { defined, ofRun: (run) => opened.get(run) ?? { skills: [], grantsTools: false } };
  const tools = [
    skillTool(book),
    resourceTool(book),
    ...(scripts === false ? [] : [scriptTool(book, scripts === true ? {} : scripts)]),
  ];

  /** Reads the disk once per activation. What was found is recorded, so that a replay does not depend on the files. */
  async function open(context: PhaseContext): Promise<Opened> {
    const { enabled = true, strict = false, grant_tools = true, folders = [], scan } = settings.read(context);
    // Without the plugin that asks there is nothing to grant.
    const grantsTools = grant_tools && context.agentSpec.plugin_ids.includes("permission");
    if (!enabled) return { skills: [], problems: [], grantsTools };
    // Found skills are made of JSON; their interfaces hide it.
    const found = (await context.record(
      "skills",
      async () => (await discoverRecently({ folders, ...(scan !== undefined && { scan }) })) as unknown as Json,
    )) as unknown as DiscoveredSkills;
    const names = new Set(embedded.map(({ name }) => name));
    const all = [...embedded, ...found.skills.filter(({ name }) => !names.has(name))];
    if (strict && found.problems.length > 0) throw new Error(describeProblems(found.problems));
    const admits = admitsOf(context);
    const usable = all.filter(({ name }) => admits(name));
    const typed = await findTyped(context, usable);
    return { skills: usable, problems: found.problems, grantsTools, ...(typed !== undefined && { typed }) };
  }

  /** The skill that a user asked for in the message that began the run. */
  async function findTyped(context: PhaseContext, usable: readonly Skill[]): Promise<TypedSkill | undefined> {
    const active = Object.entries(context.state.get(activeSkills)).find(([, { typed }]) => typed !== undefined);
    const asked = active === undefined ? readTyped(context) : { name: active[0], given: active[1].typed ?? "" };
    const skill = usable.find(({ name }) => name === asked?.name);
    if (asked === undefined || skill === undefined) return undefined;
    // A prompt for a sub-agent is the words of a model.
    if (!(context.parentRunId === undefined ? skill.userInvocable : skill.modelInvocable)) return undefined;
    // A file that was broken since it was found leaves the message as it is.
    const load = () => loadInstructions(skill, defined).catch(() => null);
    const instructions = await context.record("typed_skill", load);
    return instructions === null ? undefined : { skill, instructions, given: asked.given };
  }

  return definePlugin({
    id: "skills",
    sections: settings.sections,
    states: [activeSkills],
    tools,
    async parts(view) {
      const { enabled = true, folders = [], scan } = settings.read(view);
      if (!enabled) return [];
      const found = await discoverRecently({ folders, ...(scan !== undefined && { scan }) });
      const names = new Set(embedded.map(({ name }) => name));
      const all = [...embedded, ...found.skills.filter(({ name }) => !names.has(name))];
      return describeSkills(all, found.problems);
    },
    onActivate: async (context) => {
      opened.open(context, await open(context));
    },
    onDeactivate: (context) => opened.close(context),
    hooks: {
      runStart: (context) => activateTyped(opened.get(context), Object.keys(context.state.get(activeSkills))),
      beforeInference(context) {
        const { skills: usable = [], problems = [], typed } = opened.get(context) ?? {};
        const offered = usable.filter(({ modelInvocable }) => modelInvocable);
        const { advertise_catalog: isAdvertised = true } = settings.read(context);
        const isUseful = offered.length > 0 || typed !== undefined;
        const catalogue = isAdvertised ? describeCatalogue(offered) : undefined;
        const kept = instructionsIn(context);
        return [
          ...tools
            .filter(({ descriptor }) => !isUseful || (offered.length === 0 && descriptor.id === "skill"))
            .map(({ descriptor }) => excludeTool(descriptor.id)),
          ...(isUseful ? [transformRequest((request) => keepInstructions(nameSkills(request, offered), kept))] : []),
          ...(catalogue === undefined ? [] : [addSessionContext(catalogue, "skills")]),
          ...(typed === undefined ? [] : [instruct(typed)]),
          ...(problems.length > 0 && context.step === 1 ? [noteContext({ omissions: omissionsOf(problems) })] : []),
        ];
      },
      ...(scripts !== false && {
        beforeToolExecute: (context: BeforeToolExecuteContext) =>
          askAboutChangedScripts(context, book.ofRun(context).skills),
      }),
    },
  });
}

/** The messages with the instructions of the run's active skills. */
function instructionsIn({ state, messages }: PhaseContext): readonly Message[] {
  const active = Object.keys(state.get(activeSkills));
  if (active.length === 0) return [];
  const starts = active.map((name) => `<skill_instructions skill="${name}">`);
  return messages.filter(
    ({ role, visibility, content }) =>
      role === "user" &&
      visibility === "internal" &&
      typeof content === "string" &&
      starts.some((start) => content.startsWith(start)),
  );
}

/** Keeps instructions in the request while their skill is active, whatever is summarised or left out to fit the window. */
function keepInstructions(request: ModelRequest, instructions: readonly Message[]): ModelRequest {
  if (instructions.length === 0) return request;
  const missing = instructions.filter(({ id }) => !request.messages.some((message) => message.id === id));
  const pinned = [...(request.pinned ?? []), ...instructions.map(({ id }) => id)];
  return { ...request, messages: [...missing, ...request.messages], pinned };
}

function activateTyped(opened: Opened | undefined, active: readonly string[]): HookActions<"run_start"> {
  const { typed, grantsTools = false } = opened ?? {};
  if (typed === undefined || active.includes(typed.skill.name)) return undefined;
  const { skill, instructions, given } = typed;
  return [
    changeState(activeSkills.activate(skill.name, { content_id: contentIdOf(instructions), typed: given })),
    ...(grantsTools ? grantsOf(skill) : []),
  ];
}

function instruct({ skill, instructions, given }: TypedSkill): PhaseAction<"add_session_context"> {
  const ref = skill.folder === undefined ? `skill:${skill.name}` : `${skill.folder}/SKILL.md`;
  const text = describeInstructions(skill, instructions, given);
  return addSessionContext(text, {
    key: `skill:${skill.name}`,
    refs: [{ kind: "instruction", ref, title: skill.name }],
  });
}

/** `/name` and what follows it, at the beginning of the message with which a user began the run. */
function readTyped({ messages, step }: PhaseContext): { readonly name: string; readonly given: string } | undefined {
  const last = messages.at(-1);
  if (step > 0 || last?.role !== "user" || last.visibility === "internal") return undefined;
  const [, name = "", given = ""] = /^\s*\/(\S{1,64})(?:\s+([\s\S]{0,8192}))?/.exec(textOf(last)) ?? [];
  return name === "" ? undefined : { name: readName(name), given: given.trim() };
}

/** By the lists of the agent, and by those of the run. */
function admitsOf({ agentSpec, policy }: PhaseContext): (name: string) => boolean {
  const byAgent = createCatalogueFilter({
    allowed: agentSpec.allowed_skills,
    allowedPatterns: agentSpec.allowed_skill_patterns,
    excluded: agentSpec.excluded_skills ?? [],
    excludedPatterns: agentSpec.excluded_skill_patterns ?? [],
  });
  const byRun = createCatalogueFilter({
    allowed: policy.allowed_skills,
    excluded: policy.excluded_skills ?? [],
    excludedPatterns: [],
  });
  return (name) => byAgent.admits(name) && byRun.admits(name);
}

const MAX_SHOWN = 10;

function describeProblems(problems: readonly SkillProblem[]): string {
  const shown = problems.slice(0, MAX_SHOWN).map(({ path, message }) => `${path}: ${message}`);
  const more = problems.length > MAX_SHOWN ? [`and ${problems.length - MAX_SHOWN} more`] : [];
  return `Skills have problems, and strict is on. ${[...shown, ...more].join("; ")}.`;
}

function omissionsOf(problems: readonly SkillProblem[]) {
  const errors = problems.filter(({ level }) => level === "error");
  return errors
    .slice(0, MAX_SHOWN)
    .map(({ path, message }) => ({ kind: "instruction", ref: path, reason: message }) as const);
}

/** Tells the model which names there are, so that it cannot make one up. */
function nameSkills(request: ModelRequest, offered: readonly Skill[]): ModelRequest {
  const names = offered.map(({ name }) => name);
  if (names.length === 0) return request;
  const tools = request.tools.map((tool) =>
    tool.id === "skill" ? { ...tool, parameters: withNames(tool.parameters, names) } : tool,
  );
  return { ...request, tools };
}

function withNames(parameters: ModelRequest["tools"][number]["parameters"], names: readonly string[]) {
  const properties = parameters.properties as { readonly [key: string]: Json };
  return { ...parameters, properties: { ...properties, skill: { type: "string", enum: names } } };
}

/** Skills as pages show them, and what is wrong on disk. */
function describeSkills(usable: readonly Skill[], problems: readonly SkillProblem[]): readonly PluginPart[] {
  const ofSkill = ({ folder }: Skill): readonly SkillProblem[] =>
    folder === undefined ? [] : problems.filter(({ path }) => path === folder || path.startsWith(`${folder}${sep}`));
  const shown = new Set(usable.flatMap(ofSkill));
  const skills = usable.map((skill): PluginPart => {
    const { name, description, folder, modelInvocable, userInvocable, allowedTools } = skill;
    const own = ofSkill(skill).map(({ message }) => message);
    return {
      kind: "skill",
      name,
      state: own.length > 0 ? "warning" : "ready",
      message: description,
      details: {
        ...(folder !== undefined && { folder }),
        model_invocable: modelInvocable,
        user_invocable: userInvocable,
        allowed_tools: [...allowedTools],
        problems: own,
      },
    };
  });
  const others = problems.filter((problem) => !shown.has(problem));
  return [
    ...skills,
    ...others.map(({ path, level, message }): PluginPart => {
      const state = level === "error" ? "failed" : "warning";
      return { kind: "skill", name: basename(path) || path, state, message, details: { path } };
    }),
  ];
}
