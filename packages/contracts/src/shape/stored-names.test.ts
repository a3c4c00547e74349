import { expect, expectTypeOf, it } from "vitest";
import { camelCase, listOf, needed, objectOf, optional, recordOf, text, textOr, unionOf } from "./index.ts";
import { type SnakeCased, toStoredKeys, toStoredNames } from "./stored-names.ts";

interface Stay {
  readonly room_name: string;
  readonly guest_names?: readonly string[];
}

const stay = objectOf<Stay>({ room_name: needed(text), guest_names: optional(listOf(text)) });
type Plan =
  | { readonly kind: "by_day"; readonly day_name: string }
  | { readonly kind: "by_hour"; readonly hour_of: string };
const plan = unionOf<"kind", Plan>("kind", { by_day: { day_name: needed(text) }, by_hour: { hour_of: needed(text) } });

it.each([
  [stay, { roomName: "a", guestNames: ["firstGuest"] }, { room_name: "a", guest_names: ["firstGuest"] }],
  [stay, { room_name: "a" }, { room_name: "a" }],
  [stay, { roomNam: "a" }, { roomNam: "a" }],
  [stay, { roomName: "a", room_name: "b" }, { roomName: "a", room_name: "b" }],
  [listOf(stay), [{ roomName: "a" }, 5], [{ room_name: "a" }, 5]],
  [recordOf(stay), { firstStay: { roomName: "a" } }, { firstStay: { room_name: "a" } }],
  [recordOf(text), { roomName: "a" }, { roomName: "a" }],
  [textOr(text, stay), { roomName: "a" }, { room_name: "a" }],
  [textOr(text, stay), "roomName", "roomName"],
  [plan, { kind: "by_hour", hourOf: "a" }, { kind: "by_hour", hour_of: "a" }],
  [stay, null, null],
])("renames what the shape %# knows and nothing else", ({ schema }, given, stored) => {
  expect(toStoredNames(given, schema)).toEqual(stored);
});

it("renames every key of flat options and looks into no value", () => {
  const stored = toStoredKeys({ resumeMode: "x", parameters: { ownKey: 1 }, again: true });
  expect(stored).toEqual({ resume_mode: "x", parameters: { ownKey: 1 }, again: true });
  expectTypeOf(stored.resume_mode).toEqualTypeOf<string>();
});

it("gives types the names that values get", () => {
  expectTypeOf<SnakeCased<{ maxAttempts?: number; topP: string }>>().toEqualTypeOf<{
    readonly max_attempts?: number;
    readonly top_p: string;
  }>();
  expect(camelCase("max_attempts_per_model")).toBe("maxAttemptsPerModel");
});
