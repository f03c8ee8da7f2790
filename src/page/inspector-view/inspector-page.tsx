// The inspector: the machines of a session, or of all, at work; live, at a moment of the past, or from a file.
import { type KeyboardEvent, useCallback, useEffect, useSyncExternalStore } from 'react';
import { pageClock } from '../page-state/page-clock.ts';
import { type InspectorRoute, parseRoute } from '../page-state/routing.ts';
import { openRoute } from '../page-state/use-route.ts';
import { FileNotice, SourceNotice } from './inspection-notices.tsx';
import { InspectorPlace } from './inspector-place.tsx';
import { InspectorToolbar } from './inspector-toolbar.tsx';
import type { RecordStore, StoreSnapshot } from './records/record-store.ts';
import { type Inspection, type OpenedFile, useInspection } from './records/use-inspection.ts';
import { useRecordFile } from './records/use-record-file.ts';

/** Shows the machines at work. */
export function InspectorPage({ route }: { readonly route: InspectorRoute }) {
  const files = useRecordFile();
  const inspection = useInspection(route.session, files.opened);
  useSessionOfFile(route, files.opened);
  const onDrop = (event: React.DragEvent) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) files.open(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a file that is dropped is also chosen by the button
    <div className="view inspector" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <FileNotice files={files} />
      {inspection && <OpenInspector route={route} inspection={inspection} files={files} />}
    </div>
  );
}

/** Shows all sessions of a file that has nothing of the one that was shown. */
function useSessionOfFile(route: InspectorRoute, opened: OpenedFile | null): void {
  useEffect(() => {
    if (!opened || route.session === null || sessionsOf(opened).includes(route.session)) return;
    openRoute({ ...route, session: null, place: [], at: null }, { replace: true });
  }, [route, opened]);
}

const sessionsOf = ({ content }: OpenedFile): readonly string[] =>
  [...new Set(content.records.map(({ session }) => session))].filter((session) => session !== '');

interface OpenInspectorProps {
  readonly route: InspectorRoute;
  readonly inspection: Inspection;
  readonly files: ReturnType<typeof useRecordFile>;
}

function OpenInspector({ route, inspection, files }: OpenInspectorProps) {
  const { store, source } = inspection;
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot);
  useMomentOfAddress(route, store, snapshot);
  const { opened } = files;
  const fileSessions = opened && sessionsOf(opened);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isTyping(event.target) && stepByKey(event.key, store)) event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys beside the buttons that do the same
    <div className="inspector-body" onKeyDown={onKeyDown}>
      <InspectorToolbar
        store={store}
        snapshot={snapshot}
        fileSessions={fileSessions}
        isReplay={opened !== null}
        session={route.session}
        onSession={(session) => openRoute({ ...route, session, place: [], at: null })}
        onSave={() => files.save(store, route.session)}
        onOpen={files.open}
      />
      {source && <SourceNotice source={source} />}
      <InspectorPlace route={route} store={store} snapshot={snapshot} isFile={source === null} />
    </div>
  );
}

const isTyping = (target: EventTarget): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;

/** Moves in time by a key: `,` and `.` by one record, `<` and `>` by ten, `p` stops and goes on. */
function stepByKey(key: string, store: RecordStore): boolean {
  const steps: Readonly<Record<string, number>> = { ',': -1, '.': 1, '<': -10, '>': 10 };
  const step = steps[key];
  if (step !== undefined) store.stepBy(step);
  else if (key === 'p') store.getSnapshot().isLive ? store.pause() : store.goLive();
  else return false;
  return true;
}

const addressDelayMs = 200;

/** Shows the moment that the address names, and writes that which is shown into the address. */
function useMomentOfAddress(
  route: InspectorRoute,
  store: RecordStore,
  { isLive, record, awaitedN }: StoreSnapshot,
): void {
  const shown = isLive ? awaitedN : (record?.n ?? 0);
  const { at = null } = route;
  const goToAddress = useCallback(() => {
    const { isLive: isNowLive, record: now } = store.getSnapshot();
    if (at === null) {
      if (!isNowLive) store.goLive();
    } else if (isNowLive || now?.n !== at) store.goToRecord(at);
  }, [store, at]);
  useEffect(goToAddress, [goToAddress]);
  useEffect(() => {
    // browsers slow down a page that changes its address all the time
    return pageClock.after(addressDelayMs, () => writeMoment(shown));
  }, [shown]);
}

function writeMoment(at: number | null): void {
  const route = parseRoute(location.hash);
  if (route.view === 'inspector' && (route.at ?? null) !== at) openRoute({ ...route, at }, { replace: true });
}
