// The CANCELs of a session, or the wave of one: live ones from the records of the inspector, past ones from the stored log, one that both have from both.
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useConnection } from '../../page-state/connection-context.ts';
import { pageClock } from '../../page-state/page-clock.ts';
import { routeHref } from '../../page-state/routing.ts';
import { CancelList } from './cancel-list.tsx';
import { CancelWave } from './cancel-wave.tsx';
import { FactPages, type FactPagesSnapshot } from './fact-pages.ts';
import type { RecordCancels } from './record-cancels.ts';
import type { Wave } from './wave-model.ts';
import { waveOf } from './wave-sources.ts';

interface CancelPlaceProps {
  readonly session: string;
  /** The CANCEL whose wave is shown; null: the list. */
  readonly cancel: string | null;
  /** The CANCELs in the records that the inspector shows. */
  readonly recorded: RecordCancels;
  /** Whether a file is replayed: then its records are all there is. */
  readonly isFile: boolean;
}

/** Shows the CANCELs of a session, or one of them. */
export function CancelPlace({ session, cancel, recorded, isFile }: CancelPlaceProps) {
  const pages = useFactPages(session);
  const stored = useSyncExternalStore(pages.subscribe, pages.getSnapshot);
  return cancel === null ? (
    <Cancels session={session} recorded={recorded} pages={pages} stored={stored} isFile={isFile} />
  ) : (
    <OneCancel
      key={cancel}
      session={session}
      cancel={cancel}
      recorded={recorded}
      pages={pages}
      stored={stored}
      isFile={isFile}
    />
  );
}

interface PartProps {
  readonly session: string;
  readonly recorded: RecordCancels;
  readonly pages: FactPages;
  readonly stored: FactPagesSnapshot;
  readonly isFile: boolean;
}

function useFactPages(session: string): FactPages {
  const connection = useConnection();
  const pages = useMemo(() => new FactPages(session, (path) => connection.request(path)), [session, connection]);
  useEffect(() => () => pages.stop(), [pages]);
  return pages;
}

const wantedWaves = 20;
const firstPages = 5;

function Cancels({ session, recorded, pages, stored, isFile }: PartProps) {
  const { found, state } = stored;
  useEffect(() => {
    if (!isFile) void pages.readBack((read) => read.cancels.length >= wantedWaves, firstPages);
  }, [pages, isFile]);
  const newest = recorded.cancels.at(-1);
  useEffect(() => {
    if (!isFile && newest !== undefined) void pages.readNew();
  }, [pages, isFile, newest]);
  const waves = useMemo(() => {
    const ids = new Set([...found.cancels, ...recorded.cancels]);
    return [...ids].flatMap((id) => waveOf(id, recorded, found) ?? []);
  }, [recorded, found]);
  return (
    <section className="wave cancels" aria-labelledby="cancels-title">
      <h2 id="cancels-title" className="wave-title">
        What was stopped in this session
      </h2>
      {waves.length + found.refusals.length > 0 ? (
        <CancelList cancels={waves.map((wave) => ({ session, wave }))} refusals={found.refusals} />
      ) : (
        state !== 'reading' && <p className="soft">Nothing was stopped in what was read.</p>
      )}
      {!isFile && (
        <ReadOn
          stored={stored}
          onRead={() => void pages.readBack((read) => read.cancels.length > found.cancels.length, 20)}
        />
      )}
    </section>
  );
}

interface ReadOnProps {
  readonly stored: FactPagesSnapshot;
  readonly onRead: () => void;
}

/** The place up to which the log was read, and a button that reads on. */
function ReadOn({ stored: { state, read, problem }, onRead }: ReadOnProps) {
  return (
    <div className="cancel-read small soft">
      <span role="status">
        {state === 'reading' && `Reading the log backwards: ${read} events so far…`}
        {state === 'whole' && `The whole log was read: ${read} events.`}
        {state === 'idle' && read > 0 && `The last ${read} events were read.`}
        {state === 'failed' && `The log could not be read: ${problem}`}
      </span>
      {(state === 'idle' || state === 'failed') && (
        <button type="button" className="button button-small" onClick={onRead}>
          {state === 'failed' ? 'Try again' : 'Read further back'}
        </button>
      )}
    </div>
  );
}

function OneCancel({ session, cancel, recorded, pages, stored, isFile }: PartProps & { readonly cancel: string }) {
  const { found } = stored;
  const wave = useMemo(() => waveOf(cancel, recorded, found), [cancel, recorded, found]);
  const isLive = recorded.cancels.includes(cancel);
  const hasReceipt = useMemo(() => found.find(cancel)?.isSettled ?? !isLive, [found, cancel, isLive]);
  const read = useMemo(() => () => void pages.readBack((read) => read.hasAllNodesOf(cancel)), [pages, cancel]);
  useEffect(() => {
    if (!isFile) read();
  }, [read, isFile]);
  // the words come with the acceptance, the last of them with the receipt
  useReadingUntilSettled(pages, !isFile && !hasReceipt, wave?.state === 'settled');
  const now = useNow(wave);
  return (
    <>
      <p className="wave-back">
        <a href={routeHref({ view: 'inspector', session, place: ['cancel'] })}>← All that was stopped</a>
      </p>
      {wave ? (
        <CancelWave session={session} wave={wave} now={now} hasActors={isLive} />
      ) : (
        <div className="wave">
          <h2 className="wave-title">{stored.state === 'reading' ? 'Looking for it…' : 'This CANCEL is not known'}</h2>
          <p className="soft small">{cancel}</p>
        </div>
      )}
      {!isFile && !found.hasAllNodesOf(cancel) && <ReadOn stored={stored} onRead={read} />}
    </>
  );
}

const readEveryMs = 700;

/** Reads what is appended, again and again, until the receipt is among it. */
function useReadingUntilSettled(pages: FactPages, isOpen: boolean, isOver: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: its end is read at once
  useEffect(() => {
    if (!isOpen) return;
    void pages.readNew();
    return pageClock.every(readEveryMs, () => void pages.readNew());
  }, [pages, isOpen, isOver]);
}

const tickMs = 40;

/** The present by the clock of the gateway, as far as the records show it; it stands still when the wave is over. */
function useNow(wave: Wave | null): number {
  const { gatewayTime } = useConnection();
  const [now, setNow] = useState(() => gatewayTime.now() ?? 0);
  const isOpen = wave !== null && wave.settledAt === null;
  const lastAt = wave?.rows.reduce((last, { settledAt, cancelAt }) => Math.max(last, settledAt ?? 0, cancelAt ?? 0), 0);
  useEffect(() => {
    if (!isOpen) return;
    return pageClock.every(tickMs, () => setNow(gatewayTime.now() ?? 0));
  }, [isOpen, gatewayTime]);
  return Math.max(now, lastAt ?? 0);
}
