import { expect, it } from "vitest";
import { toolReach, toolSections } from "./tool-reach.ts";

const reachOf = (tools: Parameters<typeof toolSections>[0]["tools"]) =>
  toolReach({ section: toolSections(tools === undefined ? {} : { tools }) });

it("allows commands that are listed as they are, and those that a pattern fits as a whole", () => {
  const reach = reachOf({ allowed_commands: ["git status"], allowed_command_globs: ["npm run *"] });
  for (const command of ["git status", "npm run build"]) expect(reach?.allowsCommand(command)).toBe(true);
  for (const command of ["git status --short", "git", " git status", "echo npm run build"])
    expect(reach?.allowsCommand(command)).toBe(false);
});

it("allows hosts by their full name, over http and https alone", () => {
  const reach = reachOf({ allowed_domains: ["api.example.com"] });
  for (const url of ["https://api.example.com/a?b", "http://API.example.com.:8080/"])
    expect(reach?.allowsUrl(url)).toBe(true);
  for (const url of [
    "https://example.com",
    "https://x.api.example.com",
    "https://api.example.com.evil.example",
    "https://api.example.com@evil.example/",
    "ftp://api.example.com",
    "api.example.com",
  ])
    expect(reach?.allowsUrl(url)).toBe(false);
});

it("allows nothing where a workflow lists nothing, and does not speak for calls outside of workflows", () => {
  for (const reach of [reachOf(undefined), reachOf({ allowed_commands: [], allowed_domains: [] })]) {
    expect(reach?.allowsCommand("ls")).toBe(false);
    expect(reach?.allowsUrl("https://example.com")).toBe(false);
  }
  expect(toolReach({ section: () => undefined })).toBeUndefined();
});
