// The journal of the floor server: one file for all sessions. Records that arrive during a write go into the next one together.
import { open } from 'node:fs/promises';

export interface FloorJournal {
  /** Resolves when the record is on the disk. */
  append(record: object): Promise<void>;
  close(): Promise<void>;
}

/** Opens the file, or creates it; records are appended. */
export async function openJournal(path: string): Promise<FloorJournal> {
  const file = await open(path, 'a');
  let unwritten = '';
  let lastWrite = Promise.resolve();
  /** The write that has not started, and takes further records. */
  let nextWrite: Promise<void> | null = null;
  const flush = async () => {
    const text = unwritten;
    unwritten = '';
    nextWrite = null;
    await file.appendFile(text);
    await file.datasync();
  };
  return {
    append(record) {
      unwritten += `${JSON.stringify(record)}\n`;
      if (!nextWrite) {
        nextWrite = lastWrite.then(flush);
        lastWrite = nextWrite;
      }
      return nextWrite;
    },
    close: () => file.close(),
  };
}
