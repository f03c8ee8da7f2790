// The processes that this host has started and not seen dead: recorded in its file, and killed when the host exits with some of them running.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { HostProcess } from '../../core/contracts/log.ts';
import { systemSources } from '../../core/sources/system.ts';
import { errorText } from '../../core/text/error-text.ts';
import { readThisProcess } from './host-process.ts';
import { type HostRecord, type Mark, maxMarks, newRecordOf, recordsFolder } from './host-record.ts';
import { findFamily, killFamilyNow, type ProcessFamily, readLeader, systemTable } from './process-family.ts';

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
  /** It never changes; null: not read yet, or not to be read. */
  #host: HostProcess | null = null;

  /** To be called before the start: a host that is killed right after it has recorded it. */
  track({ marker, belongsTo }: Pick<Mark, 'marker' | 'belongsTo'>): TrackedFamily {
    this.#killAtExit();
    const entry: { mark: Mark; family: ProcessFamily | null } = {
      mark: { marker, belongsTo, group: null, startTime: null },
      family: null,
    };
    this.#marks.add(entry);
    this.#write();
    return {
      started: (family) => {
        entry.family = family;
        entry.mark = { marker, belongsTo, group: family.group, startTime: family.startTime };
        this.#write();
      },
      ended: () => {
        if (this.#marks.delete(entry)) this.#write();
      },
    };
  }

  /** Resolves with whether processes run under the marker, and each is dead, though not read as such yet, or still has its grace. Never rejects. */
  async areEnding(marker: string): Promise<boolean> {
    const families = [...this.#marks].flatMap((entry) => (entry.mark.marker === marker ? [entry.family] : []));
    if (families.length === 0) return false;
    try {
      const alive = await Promise.all(
        families.map(async (family) => !family?.isInGrace?.() && (await isAlive(family))),
      );
      return !alive.includes(true);
    } catch {
      return false; // the system does not say
    }
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
      this.#host ??= readThisProcess();
      if (!this.#host) return; // without its start time another process could be taken for it
      const marks = [...this.#marks].slice(-maxMarks).map(({ mark }) => mark);
      const { system, ...host } = this.#host;
      replaceFile(file, JSON.stringify({ host, system, hasStore, marks } satisfies HostRecord));
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

/** `family`: null while its first process is being started. */
async function isAlive(family: ProcessFamily | null): Promise<boolean> {
  if (family === null) return true;
  const leader = readLeader(family, systemTable);
  const { alive } = await findFamily(family, new Map(leader ? [[leader.pid, leader]] : []), systemTable);
  return alive.length > 0;
}

/** Writes the file as a whole. Its folder is made when it is missing, which is rare: this runs for each command. */
function replaceFile(file: string, text: string): void {
  const write = () => writeFileSync(newRecordOf(file), text, { mode: 0o600 });
  try {
    write();
  } catch (error) {
    if (fieldsOf(error)['code'] !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    write();
  }
  renameSync(newRecordOf(file), file);
}

/** The families that this process has started and not yet seen end. */
export const runningFamilies = new RunningFamilies();
