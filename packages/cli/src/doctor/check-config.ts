import { chooseModel, keysPresent } from "../compose/choose-model.ts";
import { agentIdsOf, isScripted, readWholeSetup, type Setup, sourceOf } from "../compose/read-setup.ts";
import { toFailure } from "../output/to-failure.ts";
import type { Settings } from "../settings/settings.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

interface Checked {
  readonly findings: readonly Finding[];
  readonly setup?: Setup;
}

/** Reads the configuration; the setup is there when the rest can be looked at. */
export async function checkConfig(settings: Settings): Promise<Checked> {
  try {
    const setup = await readWholeSetup(settings);
    const agents = agentIdsOf(setup).join(", ");
    return {
      findings: [
        ok("config", `${sourceOf(setup) ?? "built in"}: agents ${agents || "none"}`),
        ...setup.warnings.map(({ path, message }) =>
          warn("config", `${path}: ${message}`, "Install it, or leave it out."),
        ),
        ...checkModels(setup),
      ],
      setup,
    };
  } catch (error) {
    const { message, remedy, problems } = toFailure(error);
    if (problems.length === 0) return { findings: [fail("config", message, remedy)] };
    const findings = problems.map(({ path, message: problem }) =>
      fail("config", path === "" ? problem : `${path}: ${problem}`, "Mend it; the schema is: reprise config schema"),
    );
    return { findings };
  }
}

/** Says which keys are there, and never what they are. */
function checkModels(setup: Setup): readonly Finding[] {
  const { settings } = setup;
  const set = keysPresent(settings).filter(({ isSet }) => isSet);
  const keys = set.length === 0 ? "no model key is set" : `keys set: ${set.map(({ variable }) => variable).join(", ")}`;
  if (isScripted(setup)) {
    const remedy =
      "Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or DEEPSEEK_API_KEY for a real one.";
    return [warn("models", `Agents answer with the built-in scripted model (${keys}).`, remedy)];
  }
  const model = chooseModel(settings);
  return [ok("models", model === undefined ? keys : `${keys}; agents that name no model use ${model}`)];
}
