import { useState } from "react";

/** A choice of the person that lasts, in this browser. */
export function useStored(key: string, first: string): readonly [string, (value: string) => void] {
  const [value, setValue] = useState(() => localStorage.getItem(key) ?? first);
  const store = (next: string): void => {
    localStorage.setItem(key, next);
    setValue(next);
  };
  return [value, store];
}
