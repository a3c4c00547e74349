import { checkConfig, problemsOf } from "@reprise/server/config";
import { expect, it } from "vitest";
import { Settings } from "../settings/settings.ts";
import { createPorts } from "./create-ports.ts";

const VARIABLES = {
  MY_KEY: "k",
  MY_TOKEN: "t",
  MY_PLACE: "p",
  DATABASE_URL: "postgres://me:hunter2@db/x",
  REPRISE_API_KEY: "r",
};

/** What is wrong with a provider that takes its key from a variable, when the file names only `MY_PLACE`. */
function problemsWith(name: string): readonly object[] {
  const place = (variable: string) => ({
    adapter_kind: "openai-compatible",
    endpoint: "http://127.0.0.1:9/v1",
    auth: { kind: "env", name: variable },
  });
  const file = { agents: [], providers: { filed: place("MY_PLACE") } };
  const ports = createPorts(new Settings({}, VARIABLES), file);
  try {
    checkConfig({ ...file, providers: { ...file.providers, added: place(name) } }, ports);
    return [];
  } catch (error) {
    return problemsOf(error);
  }
}

it("gives away what the file names", () => {
  expect(problemsWith("MY_PLACE")).toEqual([]);
});

it.each(["MY_KEY", "MY_TOKEN", "DATABASE_URL", "PATH", "REPRISE_API_KEY", "NO_SUCH_KEY"])(
  "issue 14.41: keeps %s, and says which can be named",
  (name) => {
    const [problem, ...others] = problemsWith(name);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ path: "providers.added.auth.name" });
    expect(JSON.stringify(problem)).toContain(`${name}: only variables that the file names can be named here`);
    expect(JSON.stringify(problem)).not.toContain("hunter2");
  },
);
