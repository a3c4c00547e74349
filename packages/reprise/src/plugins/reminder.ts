export type { ReminderActions, ReminderOptions, ReminderRule, Reminders } from "@reprise/plugins/reminder";
export { reminder, reminders } from "@reprise/plugins/reminder";
