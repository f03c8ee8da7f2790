// The floor's durability, where it has any: one file for all sessions, appended and synced; records that wait go into one write.
import { open } from 'node:fs/promises';

export interface Journal {
  /** Resolves when the record is on the disk. */
  append(record: object): Promise<void>;
  close(): Promise<void>;
}

export async function openJournal(path: string): Promise<Journal> {
  const file = await open(path, 'a');
  let lines = '';
  let writing = Promise.resolve();
  let next: Promise<void> | null = null;
  const flush = async () => {
    const text = lines;
    lines = '';
    next = null;
    await file.appendFile(text);
    await file.datasync();
  };
  return {
    append(record) {
      lines += `${JSON.stringify(record)}\n`;
      if (!next) {
        next = writing.then(flush);
        writing = next;
      }
      return next;
    },
    close: () => file.close(),
  };
}
