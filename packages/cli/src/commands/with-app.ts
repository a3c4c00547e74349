import { type App, openToLook } from "../compose/open-app.ts";
import type { Settings } from "../settings/settings.ts";
import type { CommandInput } from "./command.ts";

/** Opens what a command works on, and closes it whatever happens. To look, unless it is said how to open it. */
export async function withApp<Answer>(
  { settings }: CommandInput,
  work: (app: App) => Promise<Answer>,
  open: (settings: Settings) => Promise<App> = openToLook,
): Promise<Answer> {
  const app = await open(settings);
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
