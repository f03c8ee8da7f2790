// Parses server-sent events out of the text of a response, piece by piece. Lines end with LF or CRLF.

export interface StreamEvent {
  /** Its type; `message` if the stream names none. */
  readonly type: string;
  readonly data: string;
}

export class EventStreamParser {
  /** The beginning of a line whose end has not arrived. */
  #unfinished = '';
  #data: string[] = [];
  #type = 'message';

  /** Adds text, and returns the events that it completes. Comments and ids are left out. */
  push(text: string): readonly StreamEvent[] {
    const lines = `${this.#unfinished}${text}`.split('\n');
    this.#unfinished = lines.pop() ?? '';
    const events: StreamEvent[] = [];
    for (const line of lines) {
      const event = this.#readLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (event) events.push(event);
    }
    return events;
  }

  #readLine(line: string): StreamEvent | null {
    if (line === '') return this.#completeEvent();
    const colon = line.indexOf(':');
    if (colon === 0) return null; // a comment
    const name = colon === -1 ? line : line.slice(0, colon);
    const rest = colon === -1 ? '' : line.slice(colon + 1);
    const value = rest.startsWith(' ') ? rest.slice(1) : rest;
    if (name === 'data') this.#data.push(value);
    if (name === 'event') this.#type = value || 'message';
    return null;
  }

  #completeEvent(): StreamEvent | null {
    const event = this.#data.length === 0 ? null : { type: this.#type, data: this.#data.join('\n') };
    this.#data = [];
    this.#type = 'message';
    return event;
  }
}
