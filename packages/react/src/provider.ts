import type { Client } from "@reprise/client";
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";

const ClientContext = createContext<Client | undefined>(undefined);

export interface RepriseProviderProps {
  readonly client: Client;
  readonly children?: ReactNode;
}

/** Gives the hooks below it their client. */
export function RepriseProvider({ client, children }: RepriseProviderProps): ReactElement {
  return createElement(ClientContext, { value: client }, children);
}

export function useClient(): Client {
  const client = useContext(ClientContext);
  if (client === undefined) throw new Error("Put a <RepriseProvider client={createClient()}> around this component.");
  return client;
}
