// Writes the lines of the log: JSON for programs, text for people.
import { pino } from 'pino';
import { fieldsOf } from '../core/collections/fields.ts';
import type { LogLine } from '../core/reports/log-lines.ts';
import { printJson, printLine } from '../core/text/print-line.ts';

/** Creates a function that writes a line to standard output. */
export function createLogWriter(format: 'pretty' | 'json'): (line: LogLine) => void {
  // every text that is printed is made printable: pino escapes less
  const write = (json: string) => {
    const line: unknown = JSON.parse(json);
    if (format === 'json') printJson(line);
    else printLine(textOf(line));
  };
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, { write });
  return ({ event, level, fields, message }) => logger[level]({ event, ...fields }, message);
}

/** Formats a line for people, like `19:01:44.123Z  standup: bob joined`. */
function textOf(line: unknown): string {
  const { level, time, session, msg } = fieldsOf(line);
  const where = typeof session === 'string' ? `${session}: ` : '';
  return `${String(time).slice(11)}  ${level === 'warn' ? 'WARN  ' : ''}${where}${msg}`;
}
