export type { DetectorName } from "./detectors.ts";
export type { Check, CheckAnswer, CheckContext, Guardrail, InputGuardrail, OutputGuardrail } from "./guardrail.ts";
export type { GuardrailsOptions } from "./guardrails.ts";
export { guardrails } from "./guardrails.ts";
