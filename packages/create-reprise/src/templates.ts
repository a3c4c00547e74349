/** A project that can be started from. */
export interface Template {
  /** Also its folder in `templates`. */
  readonly name: string;
  readonly purpose: string;
  /** The command that starts it, once its packages are installed. */
  readonly start: string;
}

export const TEMPLATES: readonly Template[] = [
  { name: "chat", purpose: "an agent on a server, with the studio to talk to it", start: "npm start" },
  { name: "approval", purpose: "an agent whose tool needs your approval, in 40 lines", start: "npm start" },
  { name: "next", purpose: "a Next.js app with useChat", start: "npm run dev" },
  { name: "worker", purpose: "Postgres, one process that answers and two that work", start: "npm start" },
];
