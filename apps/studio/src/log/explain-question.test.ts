import { describe, expect, it } from "vitest";
import { explainQuestion } from "./explain-question.ts";

describe("a question about a budget", () => {
  const tool = "reprise/budget";

  it("is told in money, and says which limit an approval sets", () => {
    const message =
      "The next model call may take 400000 microcents; 650000 of 800000 are spent or reserved. Raise the budget, or ask for shorter answers with max_tokens.";
    const explained = explainQuestion({ tool, message, arguments: { limit_microcents: 1_600_000 } });
    expect(explained.message).toContain("$0.0065 of $0.008 are spent or reserved");
    expect(explained.message).toContain("may cost up to $0.004");
    expect(explained.approve?.label).toBe("Raise to $0.016");
  });

  it("is told in tokens where tokens are limited", () => {
    const message = "The next model call may take 1200 tokens; 900 of 1000 are spent or reserved. Raise the budget.";
    const explained = explainQuestion({ tool, message, arguments: { limit_tokens: 2100 } });
    expect(explained.message).toContain("900 of 1,000 tokens are spent or reserved");
    expect(explained.approve?.label).toBe("Raise to 2,100 tokens");
    expect(explained.limits).toEqual({ limit_tokens: 2100 });
  });

  it("keeps a sentence that it does not know", () => {
    const explained = explainQuestion({ tool, message: "No more money.", arguments: null });
    expect(explained.message).toContain("No more money.");
    expect(explained.approve?.label).toBe("Raise the budget");
  });
});
