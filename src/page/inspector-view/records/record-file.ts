// A saved inspection: JSON lines. The first line is the header; then what was alive before the first record, then the records.
import { fieldsOf } from '../../../core/collections/fields.ts';
import type { ActorRecord, InspectionRecord } from '../../../wire/inspection.ts';
import { isTime, parseRecord } from './parse-record.ts';
import type { ActorView } from './picture.ts';
import { defaultCapacity, type RecordHistory } from './record-history.ts';

const format = 'inspection';
const version = 1;
/** A file with more is refused before it is read. */
export const maxFileBytes = 64 * 1_048_576;
/** Records of a file that the page can replay. One that a page has saved has half of them. */
export const maxFileRecords = 2 * defaultCapacity;

/** `not_an_inspection`: another kind of file. `version`: of a later page. `damaged`: a line is no record. `too_large`, `too_many`, `empty`. */
export type FileProblem = 'not_an_inspection' | 'version' | 'damaged' | 'too_large' | 'too_many' | 'empty';

/** The file cannot be replayed. */
export class WrongFile extends Error {
  override readonly name = 'WrongFile';
  readonly problem: FileProblem;

  constructor(problem: FileProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

export interface FileHeader {
  /** The session that was watched; null: all. */
  readonly session: string | null;
  /** Milliseconds since 1970. */
  readonly savedAt: number;
  /** Names the charts that the page drew: other ones may have other states. */
  readonly charts: string;
}

export interface RecordFile extends FileHeader {
  /** The actors that had started before the first record. */
  readonly alive: readonly ActorRecord[];
  readonly records: readonly InspectionRecord[];
}

/** Writes the records that are kept, up to a place, as the text of a file. */
export function writeRecordFile(history: RecordHistory, to: number, header: FileHeader): string {
  const records = history.recordsBetween(history.oldest, to);
  const first = records[0];
  const before = first ? [...history.pictureAt(history.oldest).actors.values()] : [];
  const alive = first ? before.filter(({ endedAt }) => endedAt === null).map((view) => recordOf(view, first)) : [];
  const head = {
    belay: format,
    version,
    ...header,
    alive: alive.length,
    records: records.length,
    from: first?.n ?? 0,
    to: records.at(-1)?.n ?? 0,
  };
  return [head, ...alive, ...records].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Reads the text of a file. Throws a WrongFile that says what is wrong with it, and where. */
export function readRecordFile(text: string): RecordFile {
  if (text.length > maxFileBytes) throw tooLarge(text.length);
  const [first = '', ...lines] = text.split('\n');
  const { belay, version: written, session, savedAt, charts, alive: aliveCount } = fieldsOf(parseLine(first));
  if (belay !== format)
    throw new WrongFile('not_an_inspection', 'This is no saved inspection: its first line is not the header of one.');
  if (written !== version)
    throw new WrongFile(
      'version',
      `The file has version ${String(written).slice(0, 20)}; this page reads version ${version}.`,
    );
  const isRecord = (line: string) => line.trim() !== '';
  const found = lines.filter(isRecord).length;
  if (found > maxFileRecords)
    throw new WrongFile(
      'too_many',
      `The file has ${found.toLocaleString('en')} records; this page replays up to ${maxFileRecords.toLocaleString('en')}.`,
    );
  const count = typeof aliveCount === 'number' ? aliveCount : 0;
  const alive: ActorRecord[] = [];
  const records: InspectionRecord[] = [];
  for (const [i, line] of lines.entries()) {
    if (!isRecord(line)) continue;
    const value = parseLine(line);
    const { at } = fieldsOf(value);
    if (at !== undefined && !isTime(at))
      throw new WrongFile(
        'damaged',
        `Line ${i + 2} of the file has the time ${String(at).slice(0, 20)}, which no date can have.`,
      );
    const record = parseRecord(value);
    if (!record) throw new WrongFile('damaged', `Line ${i + 2} of the file is no record of an inspection.`);
    if (record.type === 'actor' && i < count) alive.push(record);
    else records.push(record);
  }
  if (records.length === 0 && alive.length === 0) throw new WrongFile('empty', 'The file has no records.');
  return {
    alive,
    records,
    session: typeof session === 'string' ? session : null,
    savedAt: isTime(savedAt) ? savedAt : 0,
    charts: typeof charts === 'string' ? charts : '',
  };
}

/** Says that a file is too large to be read. */
export const tooLarge = (bytes: number): WrongFile =>
  new WrongFile(
    'too_large',
    `The file has ${Math.ceil(bytes / 1_048_576)} MiB; this page reads up to ${maxFileBytes / 1_048_576} MiB.`,
  );

/** An actor as it was before the first record. */
function recordOf(
  { id, session, root, parent, name, chart, node, status, value, context }: ActorView,
  first: InspectionRecord,
): ActorRecord {
  const { n, at } = first;
  return { type: 'actor', n, at, session, root, actor: id, parent, name, chart, node, status, value, context };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
