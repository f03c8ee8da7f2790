// The events between actors, in the order in which they were received: as lines, or on a wide screen as arrows between the lanes of the actors.

import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import type { CauseSource, Effect, OutcomeKind } from '../../../../machines/vocabulary.ts';
import { durationText, sinceFirstText } from '../../../core/words/durations.ts';
import { lettersOf } from '../../../core/words/look-up.ts';
import { effectLabel, outcomeText, wayText } from '../../../core/words/receipt-words.ts';
import type { EventRecord, InspectionRecord } from '../../../wire/inspection.ts';
import { fineDateText } from '../../page-state/time-text.ts';
import { useDistinctTitles } from '../../page-state/use-session-titles.ts';
import { useIsWide, useRowHeight } from '../lists/use-screen.ts';
import { WindowedList } from '../lists/windowed-list.tsx';
import { actorTitle, type FindActor, kindNames, kindOf } from '../records/actor-titles.ts';
import type { RecordHistory } from '../records/record-history.ts';
import type { RecordStore, StoreSnapshot } from '../records/record-store.ts';
import { EventFilterFields } from './event-filter-fields.tsx';
import { EventArrow, type EventLanes, LaneHeads, lanesOf } from './event-lanes.tsx';
import { countBelow, type EventFilter, EventIndex } from './event-rows.ts';

interface EventSequenceProps {
  readonly store: RecordStore;
  readonly snapshot: StoreSnapshot;
  /** The only actor whose events are shown; null: a person chooses. */
  readonly actor: string | null;
  /** Whether it stands below a chart. */
  readonly isPane?: boolean;
}

/** Shows the events. Choosing one shows the machines at its moment. */
export function EventSequence({ store, snapshot, actor, isPane = false }: EventSequenceProps) {
  const [chosen, setChosen] = useState<Omit<EventFilter, 'actor'>>({ tree: null, type: '', withInternal: false });
  const filter = useMemo(() => ({ ...chosen, actor }), [chosen, actor]);
  const { history } = store;
  const index = useMemo(() => new EventIndex(history, filter), [history, filter]);
  const places = index.readPlaces();
  const isWide = useIsWide();
  const titles = useDistinctTitles();
  // beside a chart there is no room for a whole event in one line
  const rowHeight = useRowHeight() + (isWide && isPane ? 16 : 0);
  const lanes = isWide && !isPane ? lanesOf(index.lanes, history.find, titles) : null;
  const active = countBelow(places, snapshot.place) - 1;
  const listId = useId();
  const originAt = useOrigin(history.recordAt(history.oldest));
  const choose = (i: number) => {
    const place = places[i];
    if (place !== undefined) store.goTo(place + 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextActive(event.key, active, places.length);
    if (next === null) return;
    event.preventDefault();
    choose(next);
  };
  return (
    <section className="pane pane-events" aria-label="Events">
      <header className="pane-head">
        <h2>Events</h2>
        <span className="soft small">{places.length.toLocaleString('en')}</span>
        <span className="head-space" />
        <EventFilterFields filter={chosen} snapshot={snapshot} withTree={!isPane} onFilter={setChosen} />
      </header>
      {places.length === 0 && <p className="pane-empty soft">No event yet.</p>}
      <WindowedList
        role="listbox"
        label="Events"
        className={lanes ? 'events-lanes' : ''}
        rowHeight={rowHeight}
        onKeyDown={onKeyDown}
        count={places.length}
        active={snapshot.isLive ? -1 : active}
        activeId={active < 0 ? undefined : `${listId}${places[active]}`}
        followsEnd={snapshot.isLive}
        head={lanes && <LaneHeads lanes={lanes} />}
        {...(lanes && { minWidth: lanes.width })}
        row={(i) => {
          const place = places[i] ?? -1;
          const record = history.recordAt(place);
          if (record?.type !== 'event') return null;
          return (
            <EventRow
              key={place}
              record={record}
              lanes={lanes}
              originAt={originAt}
              rowHeight={rowHeight}
              history={history}
              actor={actor}
              elementId={`${listId}${place}`}
              isActive={i === active && !snapshot.isLive}
              isLater={place >= snapshot.place}
              onChoose={() => choose(i)}
            />
          );
        }}
      />
    </section>
  );
}

/** The time of the first record that this list has seen: it stays when that record is dropped. */
function useOrigin(first: InspectionRecord | undefined): number {
  const origin = useRef<number | null>(null);
  origin.current ??= first?.at ?? null;
  return origin.current ?? 0;
}

/** The row that a key leads to; null: the key is none of the list. */
function nextActive(key: string, active: number, count: number): number | null {
  const next: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + 10,
    PageUp: active - 10,
    Home: 0,
    End: count - 1,
  };
  const wanted = next[key];
  return wanted === undefined || count === 0 ? null : Math.min(count - 1, Math.max(0, wanted));
}

interface EventRowProps {
  readonly record: EventRecord;
  readonly history: RecordHistory;
  /** The actor whose events these are: it is not named again. Null: those of all. */
  readonly actor: string | null;
  readonly lanes: EventLanes | null;
  readonly originAt: number;
  readonly rowHeight: number;
  readonly elementId: string;
  readonly isActive: boolean;
  /** Whether it comes after the moment that is shown. */
  readonly isLater: boolean;
  readonly onChoose: () => void;
}

function EventRow({
  record,
  history,
  actor,
  lanes,
  originAt,
  rowHeight,
  elementId,
  isActive,
  isLater,
  onChoose,
}: EventRowProps) {
  const { find } = history;
  const sender = history.senderOf(record);
  const from = nameOf(sender, find);
  const to = nameOf(record.actor, find);
  const time = sinceFirstText(record.at - originAt);
  const fields = fieldsText(record);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays on the list, which names the active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
    <div
      id={elementId}
      role="option"
      className="event"
      aria-selected={isActive}
      title={`${record.event}: ${from} → ${to}\n${fineDateText(record.at)}\n${fields}`}
      data-cancel={record.event === 'CANCEL'}
      data-later={isLater}
      style={{ height: rowHeight }}
      onClick={onChoose}
    >
      <span className="visually-hidden">{`${record.event} from ${from} to ${to}, at ${time}${fields === '' ? '' : `, ${fields}`}`}</span>
      <span className="event-time" aria-hidden="true">
        {time}
      </span>
      {lanes ? (
        <EventArrow record={record} sender={sender} lanes={lanes} height={rowHeight} />
      ) : (
        <>
          <span className="event-type" aria-hidden="true">
            {record.event}
          </span>
          <span className="event-way" aria-hidden="true">
            {actor === null ? `${from} → ${to}` : actor === sender ? `→ ${to}` : `← ${from}`}
          </span>
          <span className="event-fields" aria-hidden="true">
            {fields}
          </span>
        </>
      )}
    </div>
  );
}

/** The name of an actor in a line; `outside` for none. */
function nameOf(id: string | null, find: FindActor): string {
  if (id === null) return 'outside';
  const actor = find(id);
  if (!actor) return 'an earlier actor';
  const kind = kindOf(actor);
  const title = actorTitle(actor, find);
  return kind === 'session' || kind === 'connection' ? kindNames[kind] : title;
}

/** The fields that distinguish events of a type, each with its words. A value that is no code of its set has its own letters. */
const fieldWords: Readonly<Record<string, (value: string) => string>> = {
  kind: (value) => outcomeText(value as OutcomeKind), // another value has its own letters
  effect: (value) => effectLabel(value as Effect), // likewise
  code: lettersOf,
  source: (value) => wayText(value as CauseSource), // likewise
  by: (value) => value,
  answer: lettersOf,
  ms: (value) => durationText(Number(value)),
};

/** Returns the words that distinguish an event from others of its type. */
const fieldsText = ({ fields }: EventRecord): string =>
  Object.entries(fieldWords)
    .flatMap(([name, wordsOf]) => (fields[name] === undefined ? [] : [wordsOf(String(fields[name]))]))
    .join(' · ');
