import { type Env, invalidRequest, type StoredChangeset } from "@reprise/contracts";
import { bindingHash } from "../resolve/tool-version.ts";
import { stepIdOf } from "../thread/derived-ids.ts";
import type { RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";
import { sealAnew } from "./seal-recording.ts";

/**
 * A recording with other texts in it, sealed anew. `alter` gets every text of the recording and every name of a property, and answers
 * with what takes its place. Hashes that follow from the texts follow them: those of long texts, and those that decisions are bound to.
 */
export function alterRecording(recording: RunRecording, alter: (text: string) => string, env: Env): RunRecording {
  // A recording is JSON, which its interface hides, and stays one: only its texts and names change.
  const altered = mapTexts(recording, alter) as RunRecording;
  const hashes = new Map([...movedTexts(recording, altered, env), ...movedBindings(altered, env)]);
  const moved = (hashes.size === 0 ? altered : mapTexts(altered, (text) => hashes.get(text) ?? text)) as RunRecording;
  return sealAnew(moved, env.hash);
}

/** The part of a recording before a step, sealed anew; its owner seems to have been lost there. The step may be one after the last. */
export function cutRecording(recording: RunRecording, step: number, env: Env): RunRecording {
  const { run, changesets } = recording;
  if (!Number.isSafeInteger(step) || step < 2 || step > run.steps + 1)
    throw invalidRequest(`Run ${run.run_id} cannot be cut before step ${step}; it has ${run.steps}.`);
  if (step === run.steps + 1) return recording;
  const wanted = stepIdOf(run.run_id, step);
  const begun = ({ events }: StoredChangeset): readonly string[] =>
    events.flatMap(({ type, step_id = "" }) => (type === "step_start" ? [step_id] : []));
  const at = changesets.findIndex((changeset) => begun(changeset).includes(wanted));
  const first = changesets[at];
  if (first === undefined || begun(first)[0] !== wanted)
    throw replayImpossible(run.run_id, `its step ${step} was committed together with the one before`);
  const kept = changesets.slice(0, at);
  const last = kept.flatMap(({ runs }) => runs).findLast(({ run_id }) => run_id === run.run_id) ?? run;
  const refs = new Set(kept.flatMap(({ effects = [] }) => effects.flatMap(({ texts = [] }) => texts.map(refOf))));
  const texts = Object.fromEntries(Object.entries(recording.texts).filter(([ref]) => refs.has(ref)));
  return sealAnew({ ...recording, run: last, changesets: kept, texts }, env.hash);
}

function refOf({ ref }: { readonly ref: string }): string {
  return ref;
}

function mapTexts(value: unknown, alter: (text: string) => string): unknown {
  if (typeof value === "string") return alter(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, alter));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [alter(name), mapTexts(item, alter)]));
}

function movedTexts(before: RunRecording, after: RunRecording, { hash }: Env): readonly (readonly [string, string])[] {
  return Object.keys(before.texts).flatMap((ref) => {
    const moved = `blob:${hash(after.texts[ref] ?? "")}`;
    return moved === ref ? [] : [[ref, moved] as const];
  });
}

function movedBindings({ tenant, changesets }: RunRecording, env: Env): readonly (readonly [string, string])[] {
  return changesets.flatMap(({ calls }) =>
    calls.flatMap((call) =>
      call.binding_hash === undefined ? [] : [[call.binding_hash, bindingHash(env, tenant, call)] as const],
    ),
  );
}
