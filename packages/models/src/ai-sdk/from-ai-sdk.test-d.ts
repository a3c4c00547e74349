import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import type { LanguageModel } from "@reprise/contracts";
import { expectTypeOf, it } from "vitest";
import { fromAiSdk } from "./from-ai-sdk.ts";

it("takes models of every version of the specification that is in use", () => {
  expectTypeOf(fromAiSdk).toBeCallableWith({} as LanguageModelV2);
  expectTypeOf(fromAiSdk).toBeCallableWith({} as LanguageModelV3);
  expectTypeOf(fromAiSdk).toBeCallableWith({} as LanguageModelV4);
  expectTypeOf(fromAiSdk).toBeCallableWith({} as LanguageModelV2 | LanguageModelV3 | LanguageModelV4);
  expectTypeOf(fromAiSdk).returns.toEqualTypeOf<LanguageModel>();
});

it("takes nothing else", () => {
  const older = { specificationVersion: "v1" as const };
  // @ts-expect-error a model of the first specification is none of these
  fromAiSdk(older);
  // @ts-expect-error the name of a model is for a provider
  fromAiSdk("openai/gpt-5");
});
