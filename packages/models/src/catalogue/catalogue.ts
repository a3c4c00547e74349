import { type CatalogueEntry, entriesOf, imageEntry } from "./catalogue-entry.ts";

/** When the prices were last read from the providers' pages. */
export const PRICES_READ: string = "2026-11-15";

const ALL = { tools: true, reasoning: true, structured_output: true } as const;

const openai = entriesOf({
  provider: "openai",
  input: ["text", "image", "pdf"],
  features: { ...ALL, prompt_cache: "automatic" },
});
const anthropic = entriesOf({
  provider: "anthropic",
  input: ["text", "image", "pdf"],
  features: { ...ALL, prompt_cache: "marked" },
});
const google = entriesOf({
  provider: "google",
  input: ["text", "image", "audio", "video", "pdf"],
  features: { ...ALL, prompt_cache: "automatic" },
});
const deepseek = entriesOf({
  provider: "deepseek",
  input: ["text"],
  features: { ...ALL, structured_output: false, prompt_cache: "automatic" },
});

const GPT = { window: 1_050_000, output: 128_000 };
const GPT_5 = { window: 400_000, output: 128_000 };
const GPT_4 = { features: { reasoning: false } };
const CLAUDE = { window: 1_000_000, output: 128_000 };
const GEMINI = { window: 1_048_576, output: 65_536 };
const DEEPSEEK = { window: 1_000_000, output: 384_000 };

/**
 * Models that are often used, as data. Prices are those of ordinary requests: no discount for batches, no surcharge for regions or
 * for prompts beyond a provider's first threshold. Where they depend on the hour, the higher one stands: a budget should end early
 * rather than late. Pictures are priced by size and quality, which one price cannot say: those have none here.
 */
export const CATALOGUE: readonly CatalogueEntry[] = [
  openai("gpt-6-astra", [10, 50, 1, 12.5]),
  openai("gpt-6.1-sol", [2, 10, 0.1, 2.5], { ...GPT, cutoff: "2026-04-30" }),
  openai("gpt-6.1-terra", [1, 5, 0.05, 1.25], GPT),
  openai("gpt-6-luna", [0.1, 0.5, 0.01, 0.125]),
  openai("gpt-5.5", [5, 30, 0.5], { ...GPT, cutoff: "2025-12-01" }),
  openai("gpt-5.4", [2.5, 15, 0.25], { ...GPT, cutoff: "2025-08-31" }),
  openai("gpt-5.4-mini", [0.75, 4.5, 0.075]),
  openai("gpt-5.4-nano", [0.2, 1.25, 0.02]),
  openai("gpt-5", [1.25, 10, 0.125], { ...GPT_5, cutoff: "2024-09-30" }),
  openai("gpt-5-mini", [0.25, 2, 0.025], { ...GPT_5, cutoff: "2024-05-30" }),
  openai("gpt-5-nano", [0.05, 0.4, 0.005], { ...GPT_5, cutoff: "2024-05-30" }),
  openai("gpt-4.1", [2, 8, 0.5], { ...GPT_4, window: 1_047_576, output: 32_768, cutoff: "2024-06" }),
  openai("gpt-4.1-mini", [0.4, 1.6, 0.1], { ...GPT_4, window: 1_047_576, output: 32_768, cutoff: "2024-06" }),
  openai("gpt-4o", [2.5, 10, 1.25], { ...GPT_4, window: 128_000, output: 16_384, cutoff: "2023-10" }),
  openai("gpt-4o-mini", [0.15, 0.6, 0.075], { ...GPT_4, window: 128_000, output: 16_384, cutoff: "2023-10" }),
  imageEntry("openai", "gpt-image-1"),
  imageEntry("openai", "gpt-image-1-mini"),
  imageEntry("openai", "dall-e-3"),
  anthropic("claude-fable-5-1", [10, 50, 0.25, 12.5], { ...CLAUDE, cutoff: "2026-06" }),
  anthropic("claude-opus-5-5", [4, 20, 0.2, 5], { ...CLAUDE, cutoff: "2026-06" }),
  anthropic("claude-sonnet-5-5", [2, 10, 0.1, 2.5], { ...CLAUDE, cutoff: "2026-06" }),
  anthropic("claude-haiku-5-5", [0.1, 0.5, 0.01, 0.125], { ...CLAUDE, cutoff: "2026-06" }),
  anthropic("claude-opus-5", [5, 25, 0.5, 6.25], { ...CLAUDE, cutoff: "2026-05" }),
  anthropic("claude-sonnet-5", [2, 10, 0.2, 2.5], CLAUDE),
  anthropic("claude-sonnet-4-5", [3, 15, 0.3, 3.75], { window: 200_000, output: 64_000 }),
  anthropic("claude-haiku-4-5", [1, 5, 0.1, 1.25], { window: 200_000, output: 64_000, cutoff: "2025-02" }),
  google("gemini-3.8-flash", [0.75, 3.75, 0.075], { window: 1_000_000, output: 65_536 }),
  google("gemini-3.5-flash", [1.5, 9]),
  google("gemini-3.1-pro-preview", [2, 12, 0.2], { ...GEMINI, cutoff: "2025-01" }),
  google("gemini-2.5-pro", [1.25, 10, 0.125], { ...GEMINI, cutoff: "2025-01" }),
  google("gemini-2.5-flash", [0.3, 2.5, 0.03], { ...GEMINI, cutoff: "2025-01" }),
  deepseek("deepseek-flash", [0.3, 1.2, 0.006], { ...DEEPSEEK, input: ["text", "image"] }),
  deepseek("deepseek-chat", [0.28, 0.42, 0.028], { window: 128_000, output: 8_192, features: { reasoning: false } }),
  deepseek("deepseek-reasoner", [0.28, 0.42, 0.028], { window: 128_000, output: 65_536 }),
  deepseek("deepseek-v4-pro", [1.32, 3.96, 0.044], DEEPSEEK),
];
