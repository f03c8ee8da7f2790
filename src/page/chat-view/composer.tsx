// The field for what is said: Enter sends, Shift and Enter begin a new line; pictures are added, pasted or dropped.
import {
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import type { EscapeTarget } from '../../client/view/escape-target.ts';
import type { SaidHere } from './said-here.ts';

/** `say`: it is a turn of its own. `steer`: the turn that runs reads it. */
export type Manner = 'say' | 'steer';

interface ComposerProps {
  /** Resolves when the words were accepted; rejects with why they were not. */
  readonly onSay: (text: string, files: readonly File[], manner: Manner, model: string | null) => Promise<unknown>;
  /** The models that may be asked for; the first one is asked where none is chosen. */
  readonly models?: readonly string[];
  /** Stops the speaker's turn, where one runs; null: none does. */
  readonly onStop?: (() => void) | null;
  /** Stops the tools of that turn, which goes on; null: none runs. */
  readonly onStopTools?: (() => void) | null;
  /** What Escape stops while something runs. */
  readonly escapeStops?: EscapeTarget;
  /** The button that talks, beside the one that says. */
  readonly talkButton?: ReactNode;
  /** Words that were said here and stopped before they started: they come back, before what is typed. */
  readonly returned?: readonly SaidHere[];
  /** Called when the field has them. */
  readonly onTaken?: () => void;
}

/** The field in which a person types. It is empty again as soon as it is sent, and has the words back if they were refused, or stopped before they started. */
export function Composer({
  onSay,
  models = [],
  onStop = null,
  onStopTools = null,
  escapeStops = 'turn',
  talkButton = null,
  returned = [],
  onTaken,
}: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly File[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [model, setModel] = useState<string | null>(null);
  useFittingHeight(field, text);
  useEffect(() => {
    // on a phone the keyboard would cover what there is to read
    if (matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);
  useReturned(returned, onTaken, { setText, setFiles });
  const isEmpty = text.trim() === '' && files.length === 0;
  const submit = (manner: Manner) => {
    if (isEmpty) return;
    setText('');
    setFiles([]);
    setProblem(null);
    onSay(text, files, manner, model).catch((error: Error) => {
      setProblem(error.message);
      setText((typed) => (typed === '' ? text : typed));
      setFiles((added) => (added.length === 0 ? files : added));
    });
  };
  const addFiles = (added: readonly File[]) => setFiles((before) => [...before, ...added]);
  return (
    <form
      className="composer"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        submit('say');
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event: DragEvent) => {
        event.preventDefault();
        addFiles([...event.dataTransfer.files]);
      }}
    >
      {problem !== null && <NotSaid problem={problem} />}
      <Attachments files={files} onChange={setFiles} />
      <div className="composer-box">
        <AddFiles onAdd={addFiles} />
        <Field field={field} text={text} onChange={setText} onPaste={addFiles} onSubmit={submit} />
        <div className="composer-buttons">
          {models.length > 1 && <ModelField models={models} chosen={model} onChoose={setModel} />}
          <StopButtons onStop={onStop} onStopTools={onStopTools} />
          {onStop && (
            <button type="button" className="button" aria-disabled={isEmpty} onClick={() => submit('steer')}>
              Steer
            </button>
          )}
          {talkButton}
          <button type="submit" className="button button-main" aria-disabled={isEmpty}>
            Say
          </button>
        </div>
      </div>
      <Hint stops={onStop && (onStopTools ? escapeStops : 'turn')} />
    </form>
  );
}

const NotSaid = ({ problem }: { readonly problem: string }) => (
  <p className="problem" role="alert">
    Not said: {problem}
  </p>
);

interface ModelFieldProps {
  readonly models: readonly string[];
  /** The model that was chosen; null: none was. */
  readonly chosen: string | null;
  readonly onChoose: (model: string) => void;
}

/** The model of what is said next, and of what follows. */
const ModelField = ({ models, chosen, onChoose }: ModelFieldProps) => (
  <select
    className="field model-field"
    aria-label="Model"
    value={chosen ?? models[0]}
    onChange={({ target }) => onChoose(target.value)}
  >
    {models.map((model) => (
      <option key={model}>{model}</option>
    ))}
  </select>
);

interface FieldSetters {
  readonly setText: (change: (typed: string) => string) => void;
  readonly setFiles: (change: (added: readonly File[]) => readonly File[]) => void;
}

/** Puts words that have come back before what is typed. */
function useReturned(
  returned: readonly SaidHere[],
  onTaken: ComposerProps['onTaken'],
  { setText, setFiles }: FieldSetters,
): void {
  useEffect(() => {
    if (returned.length === 0) return;
    setText((typed) => [...returned.map((words) => words.text), typed].filter((part) => part !== '').join('\n'));
    setFiles((added) => [...returned.flatMap((words) => words.files), ...added]);
    onTaken?.();
  }, [returned, onTaken, setText, setFiles]);
}

/** The two ways to stop: the turn, and its tools alone. */
function StopButtons({ onStop, onStopTools }: Pick<ComposerProps, 'onStop' | 'onStopTools'>) {
  return (
    <>
      {onStop && (
        <button type="button" className="button button-stop" onClick={onStop}>
          Stop
          <span className="visually-hidden"> what runs for you</span>
        </button>
      )}
      {onStopTools && (
        <button type="button" className="button button-stop" onClick={onStopTools}>
          Stop tools
          <span className="visually-hidden"> and let your turn go on with their results</span>
        </button>
      )}
    </>
  );
}

const hints = {
  idle: 'Enter says it. Shift and Enter begin a new line.',
  turn: 'Escape stops your turn, and what you have said after it.',
  tools: 'Escape stops the tools of your turn.',
  running: 'Enter says it after the turn; Steer, or Ctrl and Enter, says it to the turn that runs.',
};

/** The line that says what the keys do. `stops`: what Escape stops; null: nothing runs. */
const Hint = ({ stops }: { readonly stops: EscapeTarget | null }) => (
  <p className="composer-hint soft small">{stops ? `${hints[stops]} ${hints.running}` : hints.idle}</p>
);

interface FieldProps {
  readonly field: { readonly current: HTMLTextAreaElement | null };
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onPaste: (files: readonly File[]) => void;
  readonly onSubmit: (manner: Manner) => void;
}

function Field({ field, text, onChange, onPaste, onSubmit }: FieldProps) {
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSubmit(event.ctrlKey || event.metaKey ? 'steer' : 'say');
  };
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        What you say
      </label>
      <textarea
        ref={field}
        id={id}
        rows={1}
        placeholder="Say something"
        enterKeyHint="send"
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={(event: ClipboardEvent) => onPaste([...event.clipboardData.files])}
      />
    </>
  );
}

function AddFiles({ onAdd }: { readonly onAdd: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="button button-quiet"
        aria-label="Add pictures or files"
        onClick={() => input.current?.click()}
      >
        +
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onAdd([...(event.target.files ?? [])]);
          event.target.value = ''; // the same file may be added again
        }}
      />
    </>
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

interface AttachmentsProps {
  readonly files: readonly File[];
  readonly onChange: (files: readonly File[]) => void;
}

/** The files, each with a button that takes it out; nothing for none. */
function Attachments({ files, onChange }: AttachmentsProps) {
  if (files.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Files to be said">
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file may stand twice
        <li key={at}>
          {file.name}
          <button
            type="button"
            className="session-action session-delete"
            aria-label={`Take out ${file.name}`}
            onClick={() => onChange(files.filter((each) => each !== file))}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
