import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import type { BudgetLimits } from "../log/explain-question.ts";
import { Button } from "../parts/button.tsx";

interface LimitFormProps {
  /** The limits that were proposed. */
  readonly limits: BudgetLimits;
  readonly problem: string;
  readonly isSending: boolean;
  readonly back: () => void;
  readonly send: (limits: BudgetLimits) => void;
  readonly complain: (text: string) => void;
}

const MICROCENTS = 100_000_000;

/** Other limits for a budget, in the units that people count in. */
export function LimitForm({ limits, problem, isSending, back, send, complain }: LimitFormProps): ReactNode {
  const { limit_microcents, limit_tokens } = limits;
  const [dollars, setDollars] = useState(() => String((limit_microcents ?? 0) / MICROCENTS));
  const [tokens, setTokens] = useState(() => String(limit_tokens ?? 0));
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const submit = (): void => {
    const [money, count] = [readNumber(dollars), readNumber(tokens)];
    if (Number.isNaN(money) || Number.isNaN(count)) return complain("A limit must be a number from 0 on.");
    send({
      ...(limit_microcents !== undefined && { limit_microcents: Math.round(money * MICROCENTS) }),
      ...(limit_tokens !== undefined && { limit_tokens: Math.round(count) }),
    });
  };
  return (
    <form
      className="flex flex-col gap-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        event.nativeEvent.stopImmediatePropagation();
        back();
      }}
    >
      <div className="flex flex-wrap gap-3">
        {limit_microcents !== undefined && (
          <Limit field={first} label="New limit, in dollars" value={dollars} set={setDollars} />
        )}
        {limit_tokens !== undefined && (
          <Limit
            field={limit_microcents === undefined ? first : undefined}
            label="New limit, in tokens"
            value={tokens}
            set={setTokens}
          />
        )}
      </div>
      <p role="alert" className="text-bad empty:hidden">
        {problem}
      </p>
      <div className="flex gap-2">
        <Button type="submit" kind="primary" disabled={isSending}>
          Continue with this limit
        </Button>
        <Button onClick={back}>Back</Button>
      </div>
    </form>
  );
}

/** The number that was written, also with a comma; not a number when it is none that a limit can be. */
function readNumber(text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text.trim().replace(",", "."));
  return number >= 0 ? number : Number.NaN;
}

function Limit({
  field,
  label,
  value,
  set,
}: {
  readonly field: RefObject<HTMLInputElement | null> | undefined;
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
}): ReactNode {
  const id = useId();
  return (
    <span className="flex flex-col gap-1 text-sm">
      <label htmlFor={id} className="text-faint">
        {label}
      </label>
      <input
        id={id}
        {...(field !== undefined && { ref: field })}
        inputMode="decimal"
        value={value}
        onChange={(event) => set(event.target.value)}
        className="h-8 w-40 rounded-md border border-line-strong bg-ground px-2 text-base tabular-nums"
      />
    </span>
  );
}
