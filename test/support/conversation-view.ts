// The log of a random conversation as invariants read it, with its record.
import { LogView } from '../../scripts/prove/laws/log-view.ts';
import type { ConversationRecord } from './conversation-record.ts';

/** What is wrong, one line each. */
export type Invariants = Readonly<Record<string, (view: RecordView) => readonly string[]>>;

export class RecordView extends LogView {
  readonly record: ConversationRecord;

  constructor(record: ConversationRecord) {
    super(record.log, ['carol']);
    this.record = record;
  }
}
