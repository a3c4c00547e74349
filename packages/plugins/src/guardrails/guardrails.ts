import {
  type AfterInferenceContext,
  type BeforeInferenceContext,
  changeState,
  emitEvent,
  type GuardrailFact,
  holdAnswer,
  type PhaseAction,
  type PhaseContext,
  type Plugin,
  RepriseError,
  replaceText,
  retryInference,
  suspendStep,
  terminateRun,
  textOf,
  transformRequest,
} from "@reprise/contracts";
import { flag, listOf, objectOf, optional, wholeNumberFrom } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import {
  type Check,
  compileGuardrail,
  type Finding,
  type InputGuardrail,
  type Inspect,
  inputShape,
  type OutputGuardrail,
  outputShape,
  type StoredGuardrail,
} from "./guardrail.ts";
import { type InputVerdict, judgedInputs, openCallsOf, uncheckedInputs, withVerdicts } from "./judged-inputs.ts";

const ID = "guardrails";

export interface GuardrailsOptions {
  /** Checks of the user's messages, before the model reads them. */
  readonly input?: readonly InputGuardrail[];
  /** Checks of the results of tools, before the model reads them. */
  readonly toolResults?: readonly InputGuardrail[];
  /** Checks of the model's answers, before users read them. */
  readonly output?: readonly OutputGuardrail[];
  /** Functions that guardrails name in `check`. */
  readonly checks?: Readonly<Record<string, Check>>;
  /**
   * Shows answers while the model writes them, and withdraws an answer in which a guardrail finds something. Default: false, so that an
   * answer is shown only after its checks.
   */
  readonly streamUnchecked?: boolean;
  /** How long a person may take to decide; after that the run ends. */
  readonly askTimeoutMs?: number;
}

interface GuardrailSettings {
  readonly input?: readonly StoredGuardrail[];
  readonly tool_results?: readonly StoredGuardrail[];
  readonly output?: readonly StoredGuardrail[];
  readonly stream_unchecked?: boolean;
  readonly ask_timeout_ms?: number;
}

const SETTINGS = objectOf<GuardrailSettings>({
  input: optional(listOf(inputShape), "Checks of the user's messages, before the model reads them."),
  tool_results: optional(listOf(inputShape), "Checks of the results of tools, before the model reads them."),
  output: optional(listOf(outputShape), "Checks of the model's answers, before users read them."),
  stream_unchecked: optional(
    flag,
    "Shows answers while they are written, and withdraws those in which something is found.",
  ),
  ask_timeout_ms: optional(wholeNumberFrom(1), "How long a person may take to decide; after that the run ends."),
});

/** Guardrails that are ready, for one set of settings. */
interface Compiled {
  readonly input: readonly Inspect[];
  readonly toolResults: readonly Inspect[];
  readonly output: readonly Inspect[];
}

/**
 * Checks inputs, results of tools and outputs: blocks them, redacts them, has the model try again, or asks a person. An input or a result is
 * checked once, whichever run reads it first, and stays blocked or redacted in every later request of its thread.
 */
export function guardrails({ checks = {}, ...options }: GuardrailsOptions = {}): Plugin {
  const settings = definePluginSettings(ID, SETTINGS, options);
  const compiled = new WeakMap<GuardrailSettings, Compiled>();
  const compile = (given: GuardrailSettings): Compiled => {
    let ready = compiled.get(given);
    if (ready === undefined) {
      const all = (rules: readonly StoredGuardrail[] = []): readonly Inspect[] =>
        rules.map((rule) => compileGuardrail(rule, checks));
      ready = { input: all(given.input), toolResults: all(given.tool_results), output: all(given.output) };
      compiled.set(given, ready);
    }
    return ready;
  };
  const findMissing = ({ input = [], tool_results = [], output = [] }: GuardrailSettings): string | undefined => {
    const missing = [...input, ...tool_results, ...output].find(
      ({ check }) => check !== undefined && !Object.hasOwn(checks, check),
    );
    return missing === undefined
      ? undefined
      : `guardrail ${missing.name} names the check ${missing.check}, which is not in \`checks\``;
  };
  const problem = findMissing(settings.read({ section: () => undefined }));
  if (problem !== undefined) {
    throw new RepriseError("INVALID_DEFINITION", `Plugin ${ID} has an invalid option: ${problem}.`, {
      details: { plugin: ID },
    });
  }
  return definePlugin({
    id: ID,
    sections: settings.sections,
    // A section that fits its shape has the shape of the settings.
    findSectionProblem: (key, section) =>
      settings.findSectionProblem(key, section) ?? findMissing(section as GuardrailSettings),
    states: [judgedInputs],
    hooks: {
      async beforeInference(context) {
        const given = settings.read(context);
        const ready = compile(given);
        const held = ready.output.length > 0 && given.stream_unchecked !== true ? [holdAnswer()] : [];
        if (ready.input.length + ready.toolResults.length === 0) return held;
        return [...held, ...(await checkInputs(context, ready, given))];
      },
      async afterInference(context) {
        const given = settings.read(context);
        const { output } = compile(given);
        return output.length === 0 ? [] : checkAnswer(context, output, given);
      },
    },
  });
}

type InputAction = PhaseAction<
  "state" | "emit" | "add_request_transform" | "replace_text" | "suspend_step" | "terminate"
>;

/** Checks the messages that were not checked before, and hides from the model the messages that it may not read. */
async function checkInputs(
  context: BeforeInferenceContext,
  { input, toolResults }: Compiled,
  { ask_timeout_ms }: GuardrailSettings,
): Promise<readonly InputAction[]> {
  const { messages, runId } = context;
  const known = context.state.get(judgedInputs);
  const verdicts: Record<string, InputVerdict> = {};
  // This run asked about them and continued, so they were approved.
  for (const [id, verdict] of Object.entries(known.verdicts))
    if (verdict.action === "ask" && verdict.run_id === runId) verdicts[id] = { ...verdict, action: "approved" };
  const facts: GuardrailFact[] = [];
  let blocked: Finding | undefined;
  let asked: { readonly finding: Finding; readonly what: string } | undefined;
  for (const message of uncheckedInputs(messages, known)) {
    const isResult = message.role === "tool";
    const rules = isResult ? toolResults : input;
    const { findings, clean } = await inspect(rules, textOf(message), context, message.id);
    const worst = findings.find(isOf("block")) ?? findings.find(isOf("ask")) ?? findings[0];
    if (worst === undefined) continue;
    const { name, message: instead } = worst.rule;
    // The shape of inputs has no `retry`.
    const action = worst.rule.action as InputGuardrail["action"];
    verdicts[message.id] = {
      guardrail: name,
      action,
      run_id: runId,
      // A run continues without a result that is blocked: the model reads why.
      text: action === "redact" ? clean : isResult && action === "block" && instead ? instead : removedBy(name),
    };
    facts.push(...findings.map((finding) => factOf(finding, isResult ? "tool_result" : "input", message.id)));
    if (action === "block" && !isResult) blocked ??= worst;
    if (action === "ask") asked ??= { finding: worst, what: isResult ? "The result of a tool" : "The input" };
  }
  const last = messages.at(-1)?.id;
  const isNew = last !== undefined && (last !== known.checked_until || Object.keys(verdicts).length > 0);
  const all = { ...known.verdicts, ...verdicts };
  const isHiding = Object.values(all).some(({ action }) => action !== "approved");
  const { rule } = blocked ?? {};
  return [
    ...(isNew
      ? [changeState(judgedInputs.note(last, verdicts, toolResults.length === 0 ? [] : openCallsOf(messages)))]
      : []),
    ...facts.map((fact) => emitEvent("guardrail_tripped", fact)),
    ...(isHiding ? [transformRequest((request) => withVerdicts(request, all))] : []),
    ...(rule !== undefined
      ? [replaceText(rule.message ?? WITHHELD_INPUT), terminateRun(`guardrail ${rule.name}`)]
      : []),
    ...(rule === undefined && asked !== undefined ? [ask(asked.finding, asked.what, ask_timeout_ms)] : []),
  ];
}

function removedBy(guardrail: string): string {
  return `[Removed by the guardrail ${guardrail}.]`;
}

const WITHHELD_INPUT = "I cannot help with that.";
const WITHHELD_OUTPUT = "The answer was withheld.";
const MAX_RETRIES = 2;

type OutputAction = PhaseAction<"emit" | "replace_text" | "retry_inference" | "suspend_step" | "terminate">;

/** A block beats a question, a question beats another attempt, and that beats a redaction. */
async function checkAnswer(
  context: AfterInferenceContext,
  rules: readonly Inspect[],
  { ask_timeout_ms }: GuardrailSettings,
): Promise<readonly OutputAction[]> {
  const { text, reasoning, attempt } = context;
  const { findings: inText, clean } = await inspect(rules, text, context, "answer");
  const { findings: inReasoning } = await inspect(rules, reasoning, context, "reasoning");
  const findings = [...inText, ...inReasoning.filter(({ rule }) => inText.every((found) => found.rule !== rule))];
  if (findings.length === 0) return [];
  const isSpent = ({ rule }: Finding): boolean => attempt > (rule.max_retries ?? MAX_RETRIES);
  const retries = findings.filter(isOf("retry"));
  const blocked = findings.find(isOf("block")) ?? retries.find(isSpent);
  const facts = findings.map((finding) =>
    emitEvent(
      "guardrail_tripped",
      factOf(finding, "output", undefined, finding === blocked ? "block" : finding.rule.action),
    ),
  );
  if (blocked !== undefined) {
    const { name, message = WITHHELD_OUTPUT } = blocked.rule;
    return [...facts, replaceText(message, { dropReasoning: true }), terminateRun(`guardrail ${name}`)];
  }
  const dropReasoning = inReasoning.length > 0;
  const redacted = clean !== text || dropReasoning ? [replaceText(clean, { dropReasoning })] : [];
  const asked = findings.find(isOf("ask"));
  if (asked !== undefined) return [...facts, ...redacted, ask(asked, "The answer", ask_timeout_ms)];
  const [again] = retries;
  if (again === undefined) return [...facts, ...redacted];
  const { name, feedback = `The guardrail ${name} rejected your answer. Answer again without what it objects to.` } =
    again.rule;
  return [
    ...facts,
    ...redacted,
    retryInference(again.reason === undefined ? feedback : `${feedback} (${again.reason})`),
  ];
}

/** Holds every rule against a text. Each sees what the redactions before it left, so that none brings back what another removed. */
async function inspect(
  rules: readonly Inspect[],
  text: string,
  context: PhaseContext,
  of: string,
): Promise<{ readonly findings: readonly Finding[]; readonly clean: string }> {
  const findings: Finding[] = [];
  let clean = text;
  for (const look of clean === "" ? [] : rules) {
    const finding = await look(clean, context, of);
    if (finding === undefined) continue;
    findings.push(finding);
    if (finding.rule.action === "redact") clean = finding.redacted;
  }
  return { findings, clean };
}

function isOf(action: StoredGuardrail["action"]): (finding: Finding) => boolean {
  return ({ rule }) => rule.action === action;
}

function factOf(
  { rule, reason }: Finding,
  position: GuardrailFact["position"],
  messageId?: string,
  action: GuardrailFact["action"] = rule.action,
): GuardrailFact {
  return {
    guardrail: rule.name,
    position,
    action,
    ...(messageId !== undefined && { message_id: messageId }),
    ...(reason !== undefined && { reason }),
  };
}

function ask({ rule, reason }: Finding, what: string, expiresInMs: number | undefined): PhaseAction<"suspend_step"> {
  return suspendStep({
    action: "guardrail",
    message: rule.message ?? `${what} tripped the guardrail ${rule.name}. Continue?`,
    parameters: { guardrail: rule.name, ...(reason !== undefined && { reason }) },
    ...(expiresInMs !== undefined && { expiresInMs }),
  });
}
