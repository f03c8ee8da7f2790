// The places that read the time of day: each with the reason why it needs no clock without steps. docs/architecture.md has the rule.
import { expect, test } from 'vitest';
import { read, sourcesBelow } from './tree.ts';

const recorded = 'it is recorded or shown as a time of day';
const outside = 'it is compared with a time from outside, or from before a restart';

/** By file: how often it reads the time of day, and why. What takes time, or is how old in one process, is measured by `elapsed()`. */
const accepted: Readonly<Record<string, readonly [count: number, why: string]>> = {
  'src/adapters/buses/replay-guard.ts': [1, `${outside}: the age of a message of an unknown sender`],
  'src/adapters/buses/sealed-bus.ts': [1, `${outside}: at of a message`],
  'src/adapters/models/retry.ts': [1, `${outside}: Retry-After with a date`],
  'src/adapters/processes/dead-hosts.ts': [1, `${outside}: the age of records of hosts`],
  'src/adapters/stores/memory-leases.ts': [3, 'it is the time of the machine, which leases have'],
  'src/adapters/telemetry/load-telemetry.ts': [1, `${recorded}: the end of a span whose session has no fact of it`],
  'src/client/view/gateway-time.ts': [3, 'it is the time of the gateway, from an elapsed time'],
  'src/core/runtime/retention.ts': [1, `${outside}: the last fact of a session`],
  'src/core/runtime/session-forks.ts': [1, `${recorded}: at of the first fact of a fork`],
  'src/core/session/deferred-inputs.ts': [2, `${recorded}: since of a node`],
  'src/core/session/delegations.ts': [1, `${outside}: until of a delegation`],
  'src/core/session/recover-session.ts': [1, `${outside}: the facts of an earlier life`],
  'src/core/session/session-invites.ts': [2, `${outside}: until of an invite link`],
  'src/core/session/speaker-ledger.ts': [2, `${outside}: the day of a budget`],
  'src/core/session/speech.ts': [1, `${recorded}: since of a node`],
  'src/core/sources/machine-clock.ts': [1, `${outside}: leases, where the system has no clock of its start`],
  'src/core/sources/system.ts': [2, 'it defines the time of day'],
  'src/core/sources/time-of-day.ts': [2, `${outside}: the expiry of tokens`],
  'src/core/transcript/journal.ts': [1, `${recorded}: at of a fact`],
  'src/core/workers/detach.ts': [1, `${recorded}: since of a node`],
  'src/core/workers/node.ts': [1, `${recorded}: since of a node`],
  'src/core/workers/response-calls.ts': [1, `${recorded}: since of a node`],
  'src/core/workers/provider-calls.ts': [1, `${recorded}: since of a node`],
  'src/core/workers/question.ts': [1, `${recorded}: expiresAt of a question, which people are shown`],
  'src/doors/openai-api/chat-routes.ts': [1, `${recorded}: created of an answer`],
  'src/doors/openai-api/response-routes.ts': [1, `${recorded}: created_at of a response`],
  'src/gateway/auth/jwt.ts': [1, `${outside}: the expiry of a token`],
  'src/gateway/auth/verified-tokens.ts': [1, `${outside}: the expiry of a token`],
  'src/gateway/connection.ts': [1, `${outside}: now of a welcome`],
  'src/gateway/connection-deadline.ts': [1, `${outside}: the expiry of a token`],
  'src/inspector/inspector.ts': [3, `${recorded}: at of a record`],
  'src/page/chat-view/room-panel.tsx': [2, `${outside}: until of a delegation and of an invite link`],
  'src/page/inspector-view/records/use-record-file.ts': [1, `${recorded}: the name of a file`],
  'src/page/inspector-view/wave/cancel-place.tsx': [
    2,
    `${recorded}: the present in a wave, by the times of the gateway`,
  ],
  'src/page/page-state/page-clock.ts': [1, 'it defines the time of day'],
  'src/page/session-row.tsx': [1, `${recorded}: whether the last fact is of today`],
  'src/programs/chat-commands.ts': [2, `${recorded}: the name of a session`],
  'src/programs/list-sessions.ts': [1, `${recorded}: --since`],
  'src/programs/scripted/generate.ts': [1, `${recorded}: created of a response`],
  'src/programs/scripted/http-server.ts': [1, `${recorded}: at of a request`],
  'src/programs/scripted/outgoing-response.ts': [1, `${recorded}: at of an end`],
  'src/programs/stop-session.ts': [2, `${recorded}: at of a receipt`],
};

/** A read, also without a call, and a date of the present. */
const patterns = [/(?<!performance)\.now\b/g, /\bnew Date\(\)/g];

const countIn = (source: string): number => {
  const code = source.replaceAll(/(^|\s)(\/\/|\*|\/\*).*$/gm, '');
  return patterns.reduce((sum, pattern) => sum + [...code.matchAll(pattern)].length, 0);
};

test('each place that reads the time of day has a reason [clock.steps]', () => {
  const counts = sourcesBelow(['machines', 'src']).flatMap((path) => {
    const count = countIn(read(path));
    return count === 0 ? [] : [[path, count] as const];
  });
  expect(Object.fromEntries(counts)).toEqual(
    Object.fromEntries(Object.entries(accepted).map(([path, [count]]) => [path, count])),
  );
});

test('it sees calls, references and dates of the present, and no comment', () => {
  expect(countIn('const at = clock.now();\nconst read = clock.now;\nconst day = new Date();\nnew Date(at);')).toBe(3);
  expect(countIn('// clock.now() is the time of day\n/** `Date.now()` */\nclock.elapsed();')).toBe(0);
});
