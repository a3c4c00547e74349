import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const fileAt = (path: string): string => readFileSync(join(ROOT, path), "utf8");

describe("issue 14.16: tokens are estimated well without a tokenizer", () => {
  it.each([
    "README.md",
    "CONTRIBUTING.md",
    "docs/explanation/architecture.md",
    "docs/how-to/use-models.md",
    "packages/models/package.json",
    "packages/runtime/src/turn/run-turn.ts",
  ])("%s: not less than there are, and not half as much again", (path) => {
    const text = fileAt(path);
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text));
    expect(estimateTokens(text)).toBeLessThan(1.5 * countTokens(text));
  });

  it.each([
    "Привет, как дела? Это обычный текст на русском языке, чтобы проверить оценку.",
    "これは日本語の普通の文章です。トークンの数を見積もります。",
    "这是一段普通的中文文本,用来估计标记的数量。",
    "Les élèves français étudient à l'école près de l'hôtel.",
    "🙂🙃🚀🌍",
  ])("%s", (text) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(countTokens(text));
    expect(estimateTokens(text)).toBeLessThan(2 * countTokens(text));
  });

  it("counts nothing as nothing", () => expect(estimateTokens("")).toBe(0));
});
