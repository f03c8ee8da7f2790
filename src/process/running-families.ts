// The processes that this host has started and not seen dead: recorded in its file, and killed when the host exits with some of them running.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemSources } from '../sources/system.ts';
import { errorText } from '../text/error-text.ts';
import { type HostRecord, type Mark, maxMarks, recordsFolder, thisSystem } from './host-record.ts';
import { killFamilyNow, type ProcessFamily, readOrNull, systemTable } from './process-family.ts';

export interface TrackedFamily {
  /** Its first process runs. */
  started(family: ProcessFamily): void;
  /** Nothing of it is left, or nothing was started. */
  ended(): void;
}

/** `off`: no runtime has asked for a file. */
type Recording =
  | { readonly kind: 'off' | 'failed' }
  | { readonly kind: 'on'; hasStore: boolean; readonly file: string };

class RunningFamilies {
  readonly #marks = new Set<{ mark: Mark; family: ProcessFamily | null }>();
  #recording: Recording = { kind: 'off' };
  #isKilledAtExit = false;

  /** To be called before the start: a host that is killed right after it has recorded it. */
  track(marker: string): TrackedFamily {
    this.#killAtExit();
    const entry: { mark: Mark; family: ProcessFamily | null } = {
      mark: { marker, group: null, startTime: null },
      family: null,
    };
    this.#marks.add(entry);
    this.#write();
    return {
      started: (family) => {
        entry.family = family;
        entry.mark = { marker, group: family.group, startTime: family.startTime };
        this.#write();
      },
      ended: () => {
        if (this.#marks.delete(entry)) this.#write();
      },
    };
  }

  /** From now on the file is kept. With one runtime whose transcripts are in memory, no store says what has to be ended. */
  record(hasStore: boolean): void {
    if (this.#recording.kind === 'failed') return;
    if (this.#recording.kind === 'on') {
      if (hasStore || !this.#recording.hasStore) return;
      this.#recording.hasStore = false;
    } else {
      const file = join(recordsFolder(), `${process.pid}-${systemSources.ids('host')}.json`);
      this.#recording = { kind: 'on', hasStore, file };
    }
    if (this.#marks.size > 0) this.#write();
  }

  /** Small and rare, and so in the same tick: two changes cannot overtake each other. */
  #write(): void {
    if (this.#recording.kind !== 'on') return;
    const { file, hasStore } = this.#recording;
    try {
      if (this.#marks.size === 0) return rmSync(file, { force: true });
      const host = readOrNull(process.pid, systemTable);
      if (!host) return; // without its start time another process could be taken for it
      const marks = [...this.#marks].slice(-maxMarks).map(({ mark }) => mark);
      const { pid, startTime } = host;
      const record: HostRecord = { host: { pid, startTime }, system: thisSystem(), hasStore, marks };
      mkdirSync(recordsFolder(), { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      this.#recording = { kind: 'failed' };
      const rest = 'If this process is killed, commands that it runs are not ended at the next start.';
      process.emitWarning(`belay: The running processes cannot be recorded: ${errorText(error)}. ${rest}`);
    }
  }

  /** The file stays: the next start looks for what this could not find. */
  #killAtExit(): void {
    if (this.#isKilledAtExit) return;
    this.#isKilledAtExit = true;
    process.on('exit', () => {
      for (const { family } of this.#marks) if (family) killFamilyNow(family, systemTable);
    });
  }
}

/** Of this process. */
export const runningFamilies = new RunningFamilies();
