import { addSessionContext, addSystemReminder, changeState, type Plugin } from "@reprise/contracts";
import { flag, listOf, objectOf, optional } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { cooldowns, fitsRule, type ReminderRule, ruleShape, type StoredReminderRule } from "./reminder-rule.ts";
import { reminders, sentReminders } from "./reminders.ts";

/** More reminders than this wait for the next request. */
const MAX_PER_REQUEST = 32;

export interface ReminderOptions {
  /** Whether reminders are removed once the model has answered a request that contains them (the default), or stay until they are removed. */
  readonly clearAfterLlmRequest?: boolean;
  /** Reminders that follow the results of tool calls. */
  readonly rules?: readonly ReminderRule[];
}

interface ReminderSettings {
  readonly clear_after_llm_request?: boolean;
  readonly rules?: readonly StoredReminderRule[];
}

const SETTINGS = objectOf<ReminderSettings>({
  clear_after_llm_request: optional(
    flag,
    "Whether reminders are removed once the model has answered. True unless given.",
  ),
  rules: optional(listOf(ruleShape), "Reminders that follow the results of tool calls."),
});

/**
 * Reminds the model. The reminders of the thread (the state `reminders`) become part of the next request, in the user's position. Rules add a
 * text after the results of tool calls.
 */
export function reminder(options: ReminderOptions = {}): Plugin {
  const settings = definePluginSettings("reminder", SETTINGS, options);
  return definePlugin({
    id: "reminder",
    sections: settings.sections,
    states: [reminders, sentReminders, cooldowns],
    hooks: {
      beforeInference(context) {
        const { state } = context;
        const texts = state.get(reminders).items.slice(0, MAX_PER_REQUEST);
        const { clear_after_llm_request: isCleared = true } = settings.read(context);
        return [
          ...texts.map((text) => addSessionContext(`Reminder: ${text}`)),
          // Cleared when the model has answered: the model never read a request that failed.
          ...(isCleared && texts.length > 0 ? [changeState(sentReminders.set(texts))] : []),
          ...(Object.keys(state.get(cooldowns)).length > 0 ? [changeState(cooldowns.tick())] : []),
        ];
      },
      afterInference({ state }) {
        const sent = state.get(sentReminders);
        // Reminders that were added since stay.
        return sent.length === 0 ? [] : [changeState(reminders.remove(sent)), changeState(sentReminders.set([]))];
      },
      afterToolExecute(context) {
        const cooling = context.state.get(cooldowns);
        const due = (settings.read(context).rules ?? []).filter(
          (rule) => !Object.hasOwn(cooling, rule.text) && fitsRule(rule, context),
        );
        return due.flatMap(({ text, cooldown_turns: turns = 0 }) => [
          addSystemReminder(text),
          ...(turns > 0 ? [changeState(cooldowns.start(text, turns))] : []),
        ]);
      },
    },
  });
}
