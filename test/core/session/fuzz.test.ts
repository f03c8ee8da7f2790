// Random conversations under the virtual clock, checked by invariants over their commands, their logs and what was shown.
// FUZZ_ROUNDS=5000 for a long run, FUZZ_SEED=17 for one round.
import { expect, test, vi } from 'vitest';
import { logLaws } from '../../../scripts/prove/laws/log-laws.ts';
import type { LiveTree } from '../../../src/core/live/tree.ts';
import type { ConversationRecord } from '../../support/conversation-record.ts';
import { RecordView } from '../../support/conversation-view.ts';
import { playConversation } from '../../support/random-conversation.ts';
import { afterStopInvariants } from './after-stop-invariants.ts';
import { commandInvariants } from './command-invariants.ts';
import { logInvariants } from './log-invariants.ts';

/** The live trees of the conversation that is played. */
const made = vi.hoisted(() => ({ trees: [] as LiveTree[] }));
vi.mock('../../../src/core/live/tree.ts', async (original) => {
  const real = await original<typeof import('../../../src/core/live/tree.ts')>();
  class LiveTree extends real.LiveTree {
    constructor() {
      super();
      made.trees.push(this);
    }
  }
  return { ...real, LiveTree };
});

const invariants = { ...logLaws, ...logInvariants, ...commandInvariants, ...afterStopInvariants };

const brokenInvariants = (record: ConversationRecord) => {
  const view = new RecordView(record);
  return Object.entries(invariants).flatMap(([name, problemsIn]) =>
    problemsIn(view).map((problem) => `seed ${record.seed}: ${name}: ${problem}`),
  );
};

/** The cases of which a run must meet each one. */
const cases = [
  'cancelled',
  'refused',
  'continues',
  'abandoned',
  'denied',
  'poisoned',
  'killed',
  'suspended',
  'pending',
  'input_deferred',
  'consumed',
  'queued',
  'not_steerable',
  'not_owner',
  'acknowledged',
  'reaction',
  'resumed',
  'turn_not_settled',
  'already_resumed',
  'turn_of_another',
  'ref_reused',
  'answer_taken',
  'question_required',
  'expired',
  'repeated',
  'running',
  'resent',
];

/** Returns the names of the cases that a conversation has met. */
function casesOf({ log, sent, poisoned, killed, gaps }: ConversationRecord): readonly string[] {
  return [
    ...(poisoned ? ['poisoned'] : []),
    ...(killed ? ['killed'] : []),
    ...gaps.map(() => 'suspended'),
    ...log.flatMap((fact) => {
      if (fact.type === 'cancel_accepted' && fact.pending.length > 0) return 'pending';
      if (fact.type === 'cancel_refused') return 'refused';
      if (fact.type === 'input_settled') return fact.fate;
      if (fact.type === 'acknowledged' || fact.type === 'reaction') return fact.type;
      if (fact.type === 'turn_opened') return fact.resumes === undefined ? [] : 'resumed';
      return fact.type === 'tool_result' ? fact.outcome : [];
    }),
    ...sent.flatMap(({ kind, reply, ...command }) => {
      if (!reply) return [];
      const code = 'code' in reply ? [reply.code] : [];
      const isRepeated = 'repeated' in reply && reply.repeated ? ['repeated'] : [];
      const running = 'running' in reply && (reply.running?.length ?? 0) > 0 ? ['running'] : [];
      const isResent = kind === 'cancel' && 'request' in command && 'seen' in command.request ? ['resent'] : [];
      return [reply.type, ...code, ...isRepeated, ...running, ...isResent];
    }),
  ];
}

const onlySeed = process.env['FUZZ_SEED'];
const rounds = onlySeed ? 1 : Number(process.env['FUZZ_ROUNDS'] ?? 150);

test(`${rounds} random conversations break no invariant [cancel.reach] [cancel.fence] [history.paired]`, {
  timeout: 600_000,
}, async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {}); // XState warns of events to machines that threw
  const broken: string[] = [];
  const met = new Set<string>();
  for (let i = 0; i < rounds && broken.length < 12; i++) {
    made.trees.length = 0;
    const record = await playConversation(onlySeed ? Number(onlySeed) : i + 1, made);
    broken.push(...brokenInvariants(record));
    for (const name of casesOf(record)) met.add(name);
  }
  expect(broken).toEqual([]);
  if (onlySeed) return;
  const missing = cases.filter((name) => !met.has(name));
  expect(missing, 'cases that no conversation has met').toEqual([]);
});
