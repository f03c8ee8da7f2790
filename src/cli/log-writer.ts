// Writes the lines of the log: JSON for programs, text for people.
import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { fieldsOf } from '../collections/untrusted-fields.ts';
import type { LogLine } from '../reports/log-lines.ts';
import { printJson, printLine } from '../text/print-line.ts';

/** Creates a function that writes a line to standard output. */
export function createLogWriter(format: 'pretty' | 'json'): (line: LogLine) => void {
  const pretty = prettyFactory({
    colorize: false,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'level',
    hideObject: true,
    messageFormat: (line) => textOf(line),
  });
  // every text that is printed is made printable: pino escapes less
  const write = (json: string) => {
    const line: unknown = JSON.parse(json);
    if (format === 'json') printJson(line);
    else printLine(pretty(fieldsOf(line)).trimEnd());
  };
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, { write });
  return ({ event, level, fields, message }) => logger[level]({ event, ...fields }, message);
}

function textOf(line: unknown): string {
  const { level, session, msg } = fieldsOf(line);
  return `${level === 'warn' ? 'WARN  ' : ''}${typeof session === 'string' ? `${session}: ` : ''}${msg}`;
}
