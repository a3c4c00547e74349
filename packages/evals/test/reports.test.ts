import { describe, expect, it } from "vitest";
import { type CheckResult, writeJunit, writeMarkdown } from "../src/index.ts";
import { experimentOf, METRICS, resultOf, trialOf } from "./support/results.ts";

const problem = (name: string, message: string, verdict: CheckResult["verdict"] = "failed"): CheckResult => ({
  name,
  verdict,
  message,
});

const cases = [
  resultOf("good"),
  resultOf("odd", {
    verdict: "warned",
    trials: [trialOf([problem("limits steps", "steps must be at most 2 (got 3).", "warned")])],
    regressions: [{ metric: "steps", baseline: 2, actual: 3, verdict: "warned" }],
  }),
  resultOf("bad", {
    verdict: "failed",
    metrics: { ...METRICS, pass_rate: 0.5, is_unpriced: true },
    trials: [trialOf([]), trialOf([problem("tools", "call 1 must be find."), problem("ended", "It must end.")])],
  }),
];

describe("JUnit XML", () => {
  it("is a suite with a test case for each case, whose failures and missing cases are counted", () => {
    expect(writeJunit(experimentOf(cases, { missing: ["gone"], name: "nightly" }))).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuites name="nightly" tests="4" failures="2" errors="0" skipped="0" time="2.000">',
        '  <testsuite name="nightly" tests="4" failures="2" errors="0" skipped="0" time="2.000">',
        '    <testcase name="good" classname="reprise.eval.shop" time="1.500"/>',
        '    <testcase name="odd" classname="reprise.eval.shop" time="1.500">',
        "      <system-out>limits steps warned: steps must be at most 2 (got 3).&#10;baseline steps: 2 before, 3 now</system-out>",
        "    </testcase>",
        '    <testcase name="bad" classname="reprise.eval.shop" time="1.500">',
        '      <failure message="trial 2: tools failed: call 1 must be find.">trial 2: tools failed: call 1 must be find.&#10;trial 2: ended failed: It must end.</failure>',
        "    </testcase>",
        '    <testcase name="gone" classname="reprise.eval">',
        '      <failure message="The case is in the baseline and was not evaluated."/>',
        "    </testcase>",
        "  </testsuite>",
        "</testsuites>",
        "",
      ].join("\n"),
    );
  });

  it("escapes what a run said, and leaves out what XML has no place for", () => {
    const said = 'a < b && c > "d"\u0000\u001b\ud800 é 🌍';
    const xml = writeJunit(
      experimentOf([resultOf("x", { verdict: "failed", trials: [trialOf([problem("tools", said)])] })], {
        name: '<"suite">',
      }),
    );
    expect(xml).toContain('name="&lt;&quot;suite&quot;&gt;"');
    expect(xml).toContain("tools failed: a &lt; b &amp;&amp; c &gt; &quot;d&quot;\ufffd é 🌍<");
    expect(xml).not.toContain("\u0000");
    expect(xml).not.toContain("\u001b");
  });

  it("is named after its mode where it has no name", () => {
    expect(writeJunit(experimentOf([]))).toContain('<testsuites name="reprise eval (rerun)" tests="0"');
  });
});

describe("Markdown", () => {
  it("has a row for each case, then what did not pass", () => {
    expect(writeMarkdown(experimentOf(cases, { missing: ["gone"], trials: 2, name: "nightly" }))).toBe(
      [
        "### ❌ nightly: failed",
        "",
        "Mode `rerun`, 2 trials a case: 1 passed, 1 warned, 1 failed, 1 missing. 3 model calls and 1 tool calls were made.",
        "",
        "| case | verdict | pass rate | steps | tool calls | tokens | cost (USD) |",
        "|---|---|---|---|---|---|---|",
        "| good | ✅ passed | 100 % | 3 | 2 | 478 | 0.0123 |",
        "| odd | ⚠️ warned | 100 % | 3 | 2 | 478 | 0.0123 |",
        "| bad | ❌ failed | 50 % | 3 | 2 | 478 | unknown |",
        "| gone | ❌ missing | | | | | |",
        "",
        "**odd**",
        "",
        "- ⚠️ limits steps: steps must be at most 2 (got 3).",
        "- ⚠️ baseline steps: 2 before, 3 now",
        "",
        "**bad**",
        "",
        "- ❌ tools (trial 2): call 1 must be find.",
        "- ❌ ended (trial 2): It must end.",
        "",
        "",
      ].join("\n"),
    );
  });

  it("lets no text of a run end a cell, be HTML or mention anybody", () => {
    const said = "a | b\nc <img src=x> @team `code` *x* _y_ [z](http://z) \\";
    const markdown = writeMarkdown(
      experimentOf([resultOf("x|y", { verdict: "failed", trials: [trialOf([problem("tools", said)])] })]),
    );
    expect(markdown).toContain("| x\\|y | ❌ failed |");
    expect(markdown).toContain(
      "- ❌ tools: a \\| b c &lt;img src=x> @\u200bteam \\`code\\` \\*x\\* \\_y\\_ \\[z\\](http://z) \\\\",
    );
  });

  it("says nothing of problems and judges where there are none", () => {
    const passed = writeMarkdown(experimentOf([resultOf("good")], { verdict: "passed" }));
    expect(passed.trimEnd().split("\n").at(-1)).toBe("| good | ✅ passed | 100 % | 3 | 2 | 478 | 0.0123 |");
  });
});

it("tells what judges said, for every trial, in both reports", () => {
  const said = { judge: "kind", model: "court/one", digest: "d", reason: "", input_tokens: 1, output_tokens: 1 };
  const judged = (score: number) => ({
    ...{ ...said, score, cost_microcents: 0, is_priced: true, threshold: 0.7, source: "live" as const },
  });
  const trials = [trialOf([], { judgements: [judged(0.9)] }), trialOf([], { judgements: [judged(0.75)] })];
  const experiment = experimentOf([resultOf("a", { trials })]);
  const line = "judge kind: 0.9, 0.75 of at least 0.7 (court/one, live)";
  expect(writeJunit(experiment)).toContain(`<system-out>${line}</system-out>`);
  expect(writeMarkdown(experiment)).toContain(`- a: ${line}\n`);
});
