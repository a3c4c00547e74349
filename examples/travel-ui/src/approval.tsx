import type { Interrupt } from "@ag-ui/client";
import { useState } from "react";
import type { Planner } from "./use-planner.ts";

interface Arguments {
  readonly city: string;
  readonly days: number;
  readonly travellers: number;
}

interface ApprovalProps {
  readonly question: Interrupt;
  readonly answer: Planner["answer"];
}

const MAX_TRAVELLERS = 9;

/** Asks before a trip is created. The person may change how many travel: the call then runs with the arguments of the person. */
export function Approval({ question, answer }: ApprovalProps) {
  // The arguments that the run waits with. They are what is approved.
  const proposed = question.metadata?.arguments as Arguments;
  const [travellers, setTravellers] = useState(proposed.travellers);
  const isChanged = travellers !== proposed.travellers;
  const approve = (): void =>
    answer(question, { approved: true, ...(isChanged && { editedArgs: { ...proposed, travellers } }) });
  return (
    <section className="approval" aria-label="Approval">
      <h2>Create this trip?</h2>
      <dl>
        <dt>City</dt>
        <dd>{proposed.city}</dd>
        <dt>Days</dt>
        <dd>{proposed.days}</dd>
        <dt>Travellers</dt>
        <dd className="stepper">
          <button
            type="button"
            aria-label="Fewer travellers"
            disabled={travellers <= 1}
            onClick={() => setTravellers(travellers - 1)}
          >
            −
          </button>
          <output aria-label="Travellers">{travellers}</output>
          <button
            type="button"
            aria-label="More travellers"
            disabled={travellers >= MAX_TRAVELLERS}
            onClick={() => setTravellers(travellers + 1)}
          >
            +
          </button>
        </dd>
      </dl>
      <div className="choices">
        <button type="button" className="primary" onClick={approve}>
          Create trip
        </button>
        <button type="button" onClick={() => answer(question, { approved: false })}>
          Not now
        </button>
      </div>
      <p className="hint">The question waits on the server: it is still here when you come back.</p>
    </section>
  );
}
