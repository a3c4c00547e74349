import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";

/** An active skill of a run. */
export interface ActiveSkill {
  /** The beginning of the SHA-256 of its instructions: which text was followed. */
  readonly content_id: string;
  /** Present when a user activated it: the text after `/name`. */
  readonly typed?: string;
}

export type ActiveSkills = { readonly [name: string]: ActiveSkill };

/** The skills that are active in a run. Every run begins with none. */
export const activeSkills: StateDefinition<ActiveSkills> &
  ActionCreators<{ activate: [name: string, skill: ActiveSkill] }> = defineState({
  path: "active_skills",
  scope: "run",
  initial: (): ActiveSkills => ({}),
  actions: { activate: (active, name: string, skill: ActiveSkill) => ({ ...active, [name]: skill }) },
});
