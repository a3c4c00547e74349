/** Settings the contestants read from the environment. Imported before any of them. */

// No telemetry: nothing is sent anywhere.
process.env.MASTRA_TELEMETRY_DISABLED = "1";
process.env.OPENAI_AGENTS_DISABLE_TRACING = "1";
process.env.LANGSMITH_TRACING = "false";
process.env.LANGCHAIN_TRACING_V2 = "false";

// Otherwise callbacks lag behind in a queue, and a stream that is over drops what is still in it.
process.env.LANGCHAIN_CALLBACKS_BACKGROUND = "false";
