import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createProject, TEMPLATES, type Template } from "./index.ts";

const TEMPLATE_FOLDER = join(import.meta.dirname, "../templates");
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const { version } = manifestOf(join(import.meta.dirname, ".."));

const chat = TEMPLATES.find(({ name }) => name === "chat") ?? fail();
function fail(): never {
  throw new Error("There is no template chat.");
}

it("knows every template that is there", () => {
  expect(readdirSync(TEMPLATE_FOLDER).toSorted()).toEqual(TEMPLATES.map(({ name }) => name).toSorted());
});

describe.each(TEMPLATES)("the template $name", (template: Template) => {
  const source = join(TEMPLATE_FOLDER, template.name);

  it("depends on the version of Reprise that it was published with", () => {
    const { dependencies } = manifestOf(source);
    const ours = Object.entries(dependencies).filter(([name]) => /^(@reprise\/|reprise$)/.test(name));
    expect(ours).toEqual(ours.map(([name]) => [name, version]));
    expect(ours.length).toBeGreaterThan(0);
  });

  it("names its model in one place, and needs no key", () => {
    const text = readFileSync(join(source, "model.ts"), "utf8");
    expect(text).toContain("process.env.REPRISE_MODEL ||");
    expect(text).toContain("scriptedModel(");
  });

  it("is written into a folder that is not there, under the names that npm would not publish", () => {
    const folder = join(createTemporaryFolder(), "some where", "My App");
    expect(createProject(folder, template)).toEqual({ folder, name: "my-app" });
    expect(manifestOf(folder).name).toBe("my-app");
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining([".gitignore", ".env.example", "README.md", "tsconfig.json"]),
    );
    expect(readdirSync(folder)).not.toContain("gitignore");
    expect(manifestOf(folder).scripts).toHaveProperty(template.start.replace("npm run ", "").replace("npm ", ""));
  });
});

it("is written into an empty folder and into a new repository, which stay the same folder", () => {
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, ".git"));
  createProject(folder, chat);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([".git", "server.ts"]));
});

it("refuses a folder that is not empty, names what is in it, and leaves it as it is", () => {
  const folder = createTemporaryFolder({ "a.txt": "", "b.txt": "", "c.txt": "", "d.txt": "" });
  expect(() => createProject(folder, chat)).toThrow(
    "is not empty (a.txt, b.txt, c.txt and 1 more). Nothing was written.",
  );
  expect(readdirSync(folder)).toEqual(["a.txt", "b.txt", "c.txt", "d.txt"]);
});

it("refuses a file in the place of the folder", () => {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, "app"), "");
  expect(() => createProject(join(folder, "app"), chat)).toThrow("is a file.");
});

it("leaves nothing behind when it cannot be written whole", () => {
  const parent = createTemporaryFolder();
  const broken: Template = { ...chat, name: "gone" };
  expect(() => createProject(join(parent, "new", "app"), broken)).toThrow();
  expect(existsSync(join(parent, "new"))).toBe(false);
  mkdirSync(join(parent, "empty"));
  expect(() => createProject(join(parent, "empty"), broken)).toThrow();
  expect([readdirSync(parent), readdirSync(join(parent, "empty"))]).toEqual([["empty"], []]);
});
