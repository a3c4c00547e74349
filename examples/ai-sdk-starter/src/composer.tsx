import { type KeyboardEvent, useState } from "react";

interface ComposerProps {
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

export function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const send = () => {
    if (isBusy || text.trim() === "") return;
    onSend(text);
    setText("");
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label="Message"
        placeholder="Message"
        rows={1}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={sendOnEnter}
      />
      {isBusy ? (
        <button type="button" className="stop" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" disabled={text.trim() === ""}>
          Send
        </button>
      )}
    </form>
  );
}
