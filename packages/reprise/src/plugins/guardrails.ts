export type {
  Check,
  CheckAnswer,
  CheckContext,
  DetectorName,
  Guardrail,
  GuardrailsOptions,
  InputGuardrail,
  OutputGuardrail,
} from "@reprise/plugins/guardrails";
export { guardrails } from "@reprise/plugins/guardrails";
