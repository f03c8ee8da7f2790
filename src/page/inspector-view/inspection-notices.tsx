// Notices of the inspector: that the stream is not open and what to do, that a file is replayed, that a file is none.

import { useSyncExternalStore } from 'react';
import { dateText } from '../page-state/time-text.ts';
import type { RecordFile } from './records/record-file.ts';
import type { RecordSource } from './records/record-source.ts';
import type { RecordFiles } from './records/use-record-file.ts';
import { chartsName } from './statechart/charts-name.ts';

/** Says how the stream is, while there is something to say. */
export function SourceNotice({ source }: { readonly source: RecordSource }) {
  const state = useSyncExternalStore(source.subscribe, source.getState);
  return (
    <div role="status" aria-live="polite">
      {state.kind === 'lost' && (
        <p className="notice">
          <span>The stream of the inspector is lost: {state.message} It is asked for again; what is shown stays.</span>
          <button type="button" className="button button-small" onClick={() => source.retryNow()}>
            Try now
          </button>
        </p>
      )}
      {state.kind === 'refused' && (
        <p className="notice">
          <span>
            <strong>{state.title}</strong> {state.advice} <span className="soft small">({state.message})</span>
          </span>
          <button type="button" className="button button-small" onClick={() => source.retryNow()}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}

/** Says that a file is replayed, or why one cannot be. */
export function FileNotice({ files: { opened, problem, close } }: { readonly files: RecordFiles }) {
  return (
    <>
      {problem !== null && (
        <p className="problem inspector-problem" role="alert">
          {problem}
        </p>
      )}
      {opened && (
        <p className="notice notice-good" role="status">
          <span>
            {opened.name} is replayed: {opened.content.records.length.toLocaleString('en')} records
            {opened.content.savedAt > 0 && `, saved ${dateText(opened.content.savedAt)}`}. Nothing here is live.
            {isOtherCharts(opened.content) &&
              ' It was saved by a page with other charts: its states may lack in the drawings.'}
          </span>
          <button type="button" className="button button-small" onClick={close}>
            Close the file
          </button>
        </p>
      )}
    </>
  );
}

const isOtherCharts = ({ charts }: RecordFile): boolean => charts !== '' && charts !== chartsName();
