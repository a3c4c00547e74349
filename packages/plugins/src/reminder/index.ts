export type { ReminderOptions } from "./reminder.ts";
export { reminder } from "./reminder.ts";
export type { ReminderRule } from "./reminder-rule.ts";
export type { ReminderActions, Reminders } from "./reminders.ts";
export { reminders } from "./reminders.ts";
