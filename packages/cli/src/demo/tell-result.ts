import { type CallResult, fieldOf } from "./conversation.ts";

/** Says in plain words what a call came to. */
export function tellResult({ tool, data, isError }: CallResult): string {
  if (isError) return tellError(tool, fieldOf(data, "error") ?? data);
  const field = (name: string): string => String(fieldOf(data, name) ?? "");
  switch (tool) {
    case "echo":
      return field("message");
    case "calculator":
      return `${field("expression")} = ${field("value")}`;
    case "clock":
      return `It is ${field("time")}.`;
    case "serverInfo":
      return `This server runs on Node ${field("node")} (${field("platform")}), for ${field("uptime_seconds")} seconds.`;
    case "lookUp":
      return field("note");
    case "slowTask":
      return `The slow task is done, in ${field("steps")} steps.`;
    case "sendEmail":
      return `You agreed to the mail to ${field("to")}. ${field("note")}`;
    case "agent_run":
      return field("output");
    case "finish":
      return `Finished: ${field("summary")}`;
    default:
      return `${tool} answered: ${JSON.stringify(data)}`;
  }
}

function tellError(tool: string, error: CallResult["data"]): string {
  const [code, message] = [fieldOf(error, "code"), fieldOf(error, "message")];
  if (code === "denied") return `You said no, so ${tool} did not run.`;
  const reason = typeof message === "string" ? message : JSON.stringify(error);
  return `The tool ${tool} failed, and the run continues: ${reason}`;
}
