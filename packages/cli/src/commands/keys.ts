import { createApiKeys, SCOPES, type Scope } from "@reprise/server";
import { openToKeep } from "../compose/open-app.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { CommandFailure } from "../output/failure.ts";
import { table } from "../output/table.ts";
import { duration, oneOf } from "../settings/read-values.ts";
import { type CommandInput, textOption } from "./command.ts";
import { withApp } from "./with-app.ts";

/** Makes a key and shows it, once. */
export function createKey(input: CommandInput): Promise<ExitCode> {
  const wanted = textOption(input, "scopes") ?? "read,run,decide";
  const scopes = wanted.split(",").map((scope): Scope => oneOf("A scope", scope.trim(), SCOPES));
  const lasts = duration("--expires", textOption(input, "expires"));
  return withApp(
    input,
    async ({ runtime }) => {
      const { key, info } = await createApiKeys(runtime).create({
        name: textOption(input, "name") ?? "command line",
        scopes,
        // A key says which tenant it opens: a server of another one finds it only by that.
        tenant: runtime.tenant,
        ...(lasts !== undefined && { expiresAt: Date.now() + lasts }),
      });
      input.output.answer({ key, ...info }, () => `${key}\nStore it now: it is not shown again. Its id is ${info.id}.`);
      return EXIT_CODES.ok;
    },
    openToKeep,
  );
}

export function listKeys(input: CommandInput): Promise<ExitCode> {
  return withApp(input, async ({ runtime }) => {
    const items = await createApiKeys(runtime).list();
    const rows = items.map(({ id, name, scopes, expires_at, prefix }) => [
      id,
      name,
      scopes.join(","),
      expires_at === undefined ? "never" : new Date(expires_at).toISOString(),
      `${prefix}…`,
    ]);
    input.output.answer({ items }, () =>
      rows.length === 0 ? "No keys." : table(["id", "name", "scopes", "expires", "prefix"], rows),
    );
    return EXIT_CODES.ok;
  });
}

export function revokeKey(input: CommandInput): Promise<ExitCode> {
  const [id = ""] = input.arguments;
  return withApp(input, async ({ runtime }) => {
    const isRevoked = await createApiKeys(runtime).revoke(id);
    if (!isRevoked)
      throw new CommandFailure(`There is no key ${JSON.stringify(id)}.`, {
        remedy: "List the keys with: reprise keys",
      });
    input.output.answer({ revoked: id }, () => `Key ${id} is revoked.`);
    return EXIT_CODES.ok;
  });
}
