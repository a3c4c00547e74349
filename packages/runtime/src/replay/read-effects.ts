import type { AgentEvent, Effect, StoredChangeset } from "@reprise/contracts";
import { applyPatch, type Json, ops } from "@reprise/state";
import { resolveReferences } from "../effects/stored-effects.ts";
import type { RunRecording } from "./recording.ts";

/** The effects of a recorded commit with everything they refer to, and the events of the recorded run in it. */
export function readEffects(
  changeset: StoredChangeset,
  recording: Pick<RunRecording, "run" | "texts">,
): { readonly effects: readonly Effect[]; readonly events: readonly AgentEvent[] } {
  const { run_id } = recording.run;
  const stored = (changeset.effects ?? []).map((effect) => restoreTexts(effect, recording));
  const events = changeset.events.filter((event) => event.run_id === run_id);
  return { effects: resolveReferences(stored, { ...changeset, events }), events };
}

/** An effect with its long texts in their places. */
function restoreTexts(effect: Effect, { texts }: Pick<RunRecording, "texts">): Effect {
  if (effect.texts === undefined) return effect;
  let value: Json = effect.value ?? null;
  for (const { path, ref } of effect.texts) {
    const text = texts[ref] ?? "";
    value = path.length === 0 ? text : applyPatch(value, { ops: [ops.set(path, text)] });
  }
  return { ...effect, value };
}
