// Reads a stream of server-sent events, with a bound on each. Lines end with LF or CRLF (a lone CR, which the standard allows too, nobody sends).
import { createLineReader } from '../text/line-reader.ts';

export interface ServerEvents {
  push(chunk: Buffer): void;
  /** Of the newest event that had one; null: none, the stream cannot be resumed. */
  readonly lastEventId: string | null;
  /** How long the server asks to wait before the stream is resumed, in milliseconds. */
  readonly retryMs: number | null;
}

export interface ServerEventsOptions {
  readonly maxFrameBytes: number;
  /** The data of an event of type `message`; none that is empty. */
  onData(data: string): void;
  onViolation(message: string): void;
}

export function createServerEvents({ maxFrameBytes, onData, onViolation }: ServerEventsOptions): ServerEvents {
  let data: string[] = [];
  let size = 0;
  let type = 'message';
  let lastEventId: string | null = null;
  let retryMs: number | null = null;
  const tooLong = () => onViolation(`sent a message of more than ${maxFrameBytes} bytes`);

  const fields: Readonly<Record<string, (value: string) => void>> = {
    data(value) {
      size += value.length;
      if (size > maxFrameBytes) tooLong();
      else data.push(value);
    },
    event(value) {
      type = value;
    },
    id(value) {
      if (value !== '' && !value.includes('\0')) lastEventId = value;
    },
    retry(value) {
      if (/^\d{1,9}$/.test(value)) retryMs = Number(value);
    },
  };
  const dispatch = () => {
    const text = data.join('\n');
    const isMessage = type === 'message' || type === '';
    data = [];
    size = 0;
    type = 'message';
    if (isMessage && text !== '') onData(text);
  };
  const take = (line: string) => {
    if (line === '') return dispatch();
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (Object.hasOwn(fields, name)) fields[name]?.(value);
  };
  const lines = createLineReader(maxFrameBytes, take, tooLong);
  return {
    push: (chunk) => lines.push(chunk),
    get lastEventId() {
      return lastEventId;
    },
    get retryMs() {
      return retryMs;
    },
  };
}
