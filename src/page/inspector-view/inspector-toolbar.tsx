// The toolbar of the inspector: which session, which moment, and the file to save or to replay.

import { type ChangeEvent, type KeyboardEvent, useId, useRef, useSyncExternalStore } from 'react';
import { knownSessions, subscribeToSessions } from '../page-state/known-sessions.ts';
import { useOverview } from '../page-state/overview.ts';
import { fineTimeText } from '../page-state/time-text.ts';
import { useDistinctTitles } from '../page-state/use-session-titles.ts';
import type { RecordStore, StoreSnapshot } from './records/record-store.ts';

interface InspectorToolbarProps {
  /** The session that is shown; null: all. */
  readonly session: string | null;
  /** Whether a file is replayed: then nothing is live. */
  readonly isReplay: boolean;
  /** The sessions of the file that is replayed; null: those of the gateway. */
  readonly fileSessions: readonly string[] | null;
  readonly store: RecordStore;
  readonly snapshot: StoreSnapshot;
  readonly onSession: (session: string | null) => void;
  readonly onSave: () => void;
  readonly onOpen: (file: File) => void;
}

/** The toolbar. */
export function InspectorToolbar(props: InspectorToolbarProps) {
  const { store, snapshot, isReplay, onSave, onOpen } = props;
  const file = useRef<HTMLInputElement>(null);
  const choose = (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = event.target.files?.[0];
    if (chosen) onOpen(chosen);
    event.target.value = ''; // the same file can be opened again
  };
  return (
    <div className="inspector-tools" role="toolbar" aria-label="Inspector">
      <SessionChooser {...props} />
      <Moment store={store} snapshot={snapshot} isReplay={isReplay} />
      <span className="inspector-files">
        <button
          type="button"
          className="button button-small"
          disabled={snapshot.newest === 0}
          title="Save the records as a file, which can be replayed without the gateway"
          onClick={onSave}
        >
          Save
        </button>
        <button type="button" className="button button-small" onClick={() => file.current?.click()}>
          Open…
        </button>
        <input
          ref={file}
          type="file"
          className="visually-hidden"
          tabIndex={-1}
          aria-label="Saved inspection"
          accept=".jsonl,.json,application/jsonl,application/json"
          onChange={choose}
        />
      </span>
    </div>
  );
}

function SessionChooser({ session, fileSessions, onSession }: InspectorToolbarProps) {
  const field = useId();
  const known = useSyncExternalStore(subscribeToSessions, knownSessions);
  const { sessions } = useOverview();
  const titles = useDistinctTitles();
  const listed = sessions?.map((each) => each.session) ?? known.map(({ id }) => id);
  const ids = new Set([...(session === null ? [] : [session]), ...(fileSessions ?? listed)]);
  return (
    <span className="inspector-session">
      <label className="visually-hidden" htmlFor={field}>
        Session
      </label>
      <select
        id={field}
        className="field"
        value={session ?? ''}
        onChange={(event) => onSession(event.target.value === '' ? null : event.target.value)}
      >
        <option value="">All sessions</option>
        {[...ids].map((id) => (
          <option key={id} value={id}>
            {titles.get(id) || id}
          </option>
        ))}
      </select>
    </span>
  );
}

interface MomentProps {
  readonly store: RecordStore;
  readonly snapshot: StoreSnapshot;
  readonly isReplay: boolean;
}

/** The moment that is shown: live, or one in the past, by steps or by a slider. */
function Moment({ store, snapshot, isReplay }: MomentProps) {
  const { place, oldest, newest, isLive } = snapshot;
  const isAtStart = place <= oldest;
  const isAtEnd = place >= newest;
  return (
    <span className="inspector-moment">
      <button
        type="button"
        className="button button-small inspector-pause"
        data-live={isLive}
        onClick={() => (isLive ? store.pause() : store.goLive())}
      >
        {isLive ? 'Pause' : isReplay ? 'To the end' : 'Live'}
      </button>
      <StepButton name="Back by ten records" sign="−10" isDisabled={isAtStart} onStep={() => store.stepBy(-10)} />
      <StepButton name="Back by one record" sign="−1" isDisabled={isAtStart} onStep={() => store.stepBy(-1)} />
      <input
        type="range"
        className="inspector-slider"
        aria-label="Moment"
        aria-valuetext={placeText(snapshot, isReplay)}
        min={oldest}
        max={Math.max(newest, oldest + 1)}
        value={place}
        disabled={newest === 0}
        onChange={(event) => store.goTo(Number(event.target.value))}
        onKeyDown={(event) => onSliderKey(event, store)}
      />
      <StepButton name="Forward by one record" sign="+1" isDisabled={isAtEnd} onStep={() => store.stepBy(1)} />
      <StepButton name="Forward by ten records" sign="+10" isDisabled={isAtEnd} onStep={() => store.stepBy(10)} />
      <output className="inspector-place soft small">{placeText(snapshot, isReplay)}</output>
    </span>
  );
}

interface StepButtonProps {
  readonly name: string;
  readonly sign: string;
  readonly isDisabled: boolean;
  readonly onStep: () => void;
}

/** A button that stays in the order of the Tab key when it can do nothing, so that the focus is not lost. */
const StepButton = ({ name, sign, isDisabled, onStep }: StepButtonProps) => (
  <button
    type="button"
    className="button button-quiet button-small inspector-step"
    aria-label={`${sign}: ${name}`}
    title={name}
    aria-disabled={isDisabled}
    onClick={() => {
      if (!isDisabled) onStep();
    }}
  >
    {sign}
  </button>
);

/** The slider's own keys move by one; these by ten. */
function onSliderKey(event: KeyboardEvent, store: RecordStore): void {
  const step = event.key === 'PageUp' ? 10 : event.key === 'PageDown' ? -10 : 0;
  if (step === 0) return;
  event.preventDefault();
  store.stepBy(step);
}

function placeText({ place, newest, isLive, record, missed }: StoreSnapshot, isReplay: boolean): string {
  const lost = missed === 0 ? '' : `, ${missed.toLocaleString('en')} missed`;
  if (isLive) return `${isReplay ? 'the end' : 'live'}, ${newest.toLocaleString('en')} records${lost}`;
  const time = record ? `, ${fineTimeText(record.at)}` : '';
  return `record ${place.toLocaleString('en')} of ${newest.toLocaleString('en')}${time}${lost}`;
}
