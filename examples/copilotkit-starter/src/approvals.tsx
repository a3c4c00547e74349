import { useInterrupt } from "@copilotkit/react-core/v2";

/** Questions of the agent, asked in the chat. */
export function Approvals() {
  useInterrupt({
    agentId: "default",
    render: ({ interrupt, resolve }) => (
      <fieldset className="approval" aria-label="Approval">
        <p>{interrupt?.message}</p>
        <button type="button" className="primary" onClick={() => void resolve({ approved: true })}>
          Approve
        </button>
        <button type="button" onClick={() => void resolve({ approved: false })}>
          Deny
        </button>
      </fieldset>
    ),
  });
  return null;
}
