// Writes the lines of the log: JSON for programs, text for people.
import { type Level, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { LogLine } from '../../reports/log-lines.ts';
import { printJson, printLine } from '../../text/print-line.ts';
import type { LogFormat } from './log-formats.ts';

export interface LogWriter {
  write(line: LogLine): void;
}

const nowhere: LogWriter = { write() {} };

/** Creates a writer to standard output. */
export function createLogWriter(format: LogFormat): LogWriter {
  if (format === 'off') return nowhere;
  const toText = format === 'pretty' ? prettyFactory(prettyOptions) : null;
  // every text that is printed is made printable: pino escapes less
  const print = (line: string) =>
    toText ? printLine(toText(JSON.parse(line)).trimEnd()) : printJson(JSON.parse(line));
  const logger = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: print },
  );
  return {
    write({ event, level, fields, message }: LogLine) {
      logger[level satisfies Level]({ event, ...fields }, message);
    },
  };
}

const prettyOptions = {
  colorize: false,
  translateTime: 'SYS:HH:MM:ss.l',
  ignore: 'pid,hostname,level',
  hideObject: true,
  messageFormat: (log: Record<string, unknown>, key: string) =>
    `${String(log['level']).toUpperCase()}  ${typeof log['session'] === 'string' ? `${log['session']}: ` : ''}${log[key]}${typeof log['stack'] === 'string' ? `\n${log['stack']}` : ''}`,
} as const;
