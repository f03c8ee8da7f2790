// Checks that a response can be stopped: its connection closes at once, nothing more arrives, and the next request is accepted.
import type { Message } from '../../../../machines/messages.ts';
import { msSince } from '../../../core/sources/monotonic-time.ts';
import { pause } from '../../../core/sources/pause.ts';
import type { MonotonicTime } from '../../../core/sources/sources.ts';
import { type Finding, failedFinding, failsWith, works } from './check-result.ts';
import { ClientSockets } from './client-sockets.ts';
import type { Trial, TrialResponse } from './trial.ts';

/** How long a stop may take, in milliseconds: as long as the runtime waits for it. */
const stopMs = 250;
/** How long after a stop is looked for requests and text that should not come, in milliseconds. */
const afterStopMs = 500;

/** Stops a long response at its first piece. */
export async function checkCancel(trial: Trial): Promise<Finding> {
  const { clock } = trial;
  using sockets = new ClientSockets();
  const controller = new AbortController();
  const stopped: { at: MonotonicTime | null; pieces: number } = { at: null, pieces: 0 };
  const start: Message = { role: 'user', content: 'Write the numbers from one to three hundred in words, one a line.' };
  const asked = await trial.ask(
    { messages: [start] },
    {
      signal: controller.signal,
      onPiece() {
        if (stopped.at !== null) {
          stopped.pieces++;
          return;
        }
        stopped.at = clock.elapsed();
        controller.abort();
      },
    },
  );
  if (asked.end.kind === 'failed') return failedFinding(asked.end);
  if (stopped.at === null || asked.end.kind === 'completed') return inOnePiece;
  const ms = msSince(clock, stopped.at);
  const wasClosed = sockets.areClosed;
  const { requests } = sockets;
  await pause(clock, afterStopMs, new AbortController().signal);
  if (ms > stopMs || !wasClosed) return tooLate(ms, wasClosed);
  if (stopped.pieces > 0) return failsWith('More of the response was shown after the stop.', report);
  if (sockets.requests > requests) return failsWith('Another request was sent after the stop.', report);
  return askAfterStop(
    trial,
    start,
    asked,
    sockets.hasAny ? `The connection was closed ${ms} ms after the stop` : `The stream ended ${ms} ms after the stop`,
  );
}

const report = 'This is a mistake of Belay or of its provider: please report it.';

const inOnePiece = failsWith(
  'The response came as a whole, so that there was nothing to stop.',
  'Ask the endpoint, or the proxy before it, to send responses piece by piece (without buffering).',
);

const tooLate = (ms: number, wasClosed: boolean): Finding =>
  failsWith(
    `The response ended ${ms} ms after the stop${wasClosed ? '' : ', and its connection stayed open'}.`,
    report,
  );

/** Asks once more, after what was cut off. */
async function askAfterStop(trial: Trial, start: Message, { text }: TrialResponse, how: string): Promise<Finding> {
  const cut: Message = { role: 'assistant', content: text.trim() === '' ? '[stopped]' : text, calls: [] };
  const again: Message = { role: 'user', content: 'Thank you. Reply with the word ready.' };
  const { end } = await trial.ask({ messages: [start, cut, again] });
  if (end.kind !== 'completed') return failedFinding(end, 'The request after a stop was refused: set model.family.');
  return works(`${how}; the next request was taken.`);
}
