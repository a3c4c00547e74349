import type { Settings } from "../settings/settings.ts";

/** A good and affordable model for each provider with a common key. */
const BY_KEY = [
  ["OPENAI_API_KEY", "openai/gpt-5-mini"],
  ["ANTHROPIC_API_KEY", "anthropic/claude-haiku-4-5"],
  ["GOOGLE_GENERATIVE_AI_API_KEY", "google/gemini-2.5-flash"],
  ["DEEPSEEK_API_KEY", "deepseek/deepseek-flash"],
] as const;

/** The model of agents that name none: the one that was named, or one that there is a key for. */
export function chooseModel(settings: Settings): string | undefined {
  const named = settings.value("model");
  if (named !== undefined) return named;
  return BY_KEY.find(([variable]) => (settings.variables[variable] ?? "").trim() !== "")?.[1];
}

/** Which keys are set. Their values are not read. */
export function keysPresent(settings: Settings): readonly { readonly variable: string; readonly isSet: boolean }[] {
  return BY_KEY.map(([variable]) => ({ variable, isSet: (settings.variables[variable] ?? "").trim() !== "" }));
}
