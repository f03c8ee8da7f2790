// The field for what is said: Enter sends, Shift and Enter begin a new line.
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';

interface ComposerProps {
  /** Resolves when the words were accepted; rejects with why they were not. */
  readonly onSay: (text: string) => Promise<unknown>;
  /** Shown beside the button. */
  readonly hint: string;
  /** Stops the speaker's turn, where one runs; null: none does. */
  readonly onStop?: (() => void) | null;
}

/** What a person types. It is empty again as soon as it is sent, and has the words back if they were refused. */
export function Composer({ onSay, hint, onStop = null }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const label = useId();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  useFittingHeight(field, text);
  useEffect(() => {
    // on a phone the keyboard would cover what there is to read
    if (matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);
  const submit = () => {
    if (text.trim() === '') return;
    setText('');
    setProblem(null);
    onSay(text).catch((error: Error) => {
      setProblem(error.message);
      setText((typed) => (typed === '' ? text : typed));
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form className="composer" onSubmit={onSubmit}>
      {problem !== null && (
        <p className="problem" role="alert">
          Not said: {problem}
        </p>
      )}
      <div className="composer-box">
        <label className="visually-hidden" htmlFor={label}>
          What you say
        </label>
        <textarea
          ref={field}
          id={label}
          rows={1}
          placeholder="Say something"
          enterKeyHint="send"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {onStop && (
          <button type="button" className="button button-stop" onClick={onStop}>
            Stop
            <span className="visually-hidden"> your turn</span>
          </button>
        )}
        <button type="submit" className="button button-main" aria-disabled={text.trim() === ''}>
          Say
        </button>
      </div>
      <p className="composer-hint soft small">{hint}</p>
    </form>
  );
}

/** Lets the field grow with its text, up to the height that the style sheet allows. */
function useFittingHeight(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new text may need another height
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
}
