export type {
  NoAnswer,
  RawAnswer,
  RecordedRequest,
  ServerScript,
  ServerTurn,
  SpokenAnswer,
} from "./server-script.ts";
export type { ModelServer } from "./start-model-server.ts";
export { startModelServer } from "./start-model-server.ts";
