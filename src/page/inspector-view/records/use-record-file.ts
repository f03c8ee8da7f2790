// The file of the inspector: opened and checked, or saved.
import { useState } from 'react';
import { pageClock } from '../../page-state/page-clock.ts';
import { chartsName } from '../statechart/charts-name.ts';
import { maxFileBytes, readRecordFile, tooLarge, writeRecordFile } from './record-file.ts';
import type { RecordStore } from './record-store.ts';
import type { OpenedFile } from './use-inspection.ts';

export interface RecordFiles {
  /** The file that is replayed; null: none. */
  readonly opened: OpenedFile | null;
  /** Why the last file could not be opened; null: it could. */
  readonly problem: string | null;
  readonly open: (file: File) => void;
  readonly close: () => void;
  /** Gives the records that are kept to the browser as a download. */
  readonly save: (store: RecordStore, session: string | null) => void;
}

/** Opens and saves files. */
export function useRecordFile(): RecordFiles {
  const [opened, setOpened] = useState<OpenedFile | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const open = (file: File) => {
    readFile(file).then(
      (next) => {
        setOpened(next);
        setProblem(null);
      },
      (error: Error) => setProblem(`${file.name} cannot be replayed. ${error.message}`),
    );
  };
  const close = () => {
    setOpened(null);
    setProblem(null);
  };
  return { opened, problem, open, close, save: saveFile };
}

async function readFile(file: File): Promise<OpenedFile> {
  if (file.size > maxFileBytes) throw tooLarge(file.size);
  return { name: file.name, content: readRecordFile(await file.text()) };
}

function saveFile({ history }: RecordStore, session: string | null): void {
  const savedAt = pageClock.now();
  const text = writeRecordFile(history, history.newest, { session, savedAt, charts: chartsName() });
  const url = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `belay-${fileName(session ?? 'all')}-${new Date(savedAt).toISOString().replace(/[:.]/g, '-')}.jsonl`;
  link.click();
  pageClock.after(10_000, () => URL.revokeObjectURL(url));
}

const fileName = (text: string): string => text.replace(/[^\w-]+/g, '-').slice(0, 60);
