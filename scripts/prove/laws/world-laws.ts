// Laws of the simulated world: what tools did, what clients received, what the model was asked, and what is left. They share no code with the runtime.
import { isDeepStrictEqual } from 'node:util';
import { pairingProblems } from '../../../test/support/message-pairing.ts';
import type { ReceivedByClient, ReceivedFrame, RunEvidence } from './evidence.ts';
import { type LogView, stoppedByEmergency } from './log-view.ts';

/** Returns what is wrong, one line each. */
export type WorldLaw = (evidence: RunEvidence, view: LogView) => readonly string[];

/** The fields of a frame that no fact has. */
const frameFields = ['session', 'seq'];

/** Whether a frame says what a stored fact says. */
function saysFact(frame: ReceivedFrame, fact: unknown): boolean {
  const stored = fact as Readonly<Record<string, unknown>> | undefined; // a fact of a log, from JSON
  if (stored === undefined) return false;
  let fields = 0;
  for (const name of Object.keys(frame)) {
    if (frameFields.includes(name)) continue;
    fields++;
    const value = frame[name];
    const said = stored[name];
    const isSame = typeof value === 'object' ? isDeepStrictEqual(value, said) : Object.is(value, said);
    if (!isSame || !Object.hasOwn(stored, name)) return false;
  }
  return fields === Object.keys(stored).length;
}

const isFact = (frame: ReceivedFrame): frame is ReceivedFrame & { seq: number } =>
  typeof frame.seq === 'number' && frame.type !== 'joined' && frame['repeated'] !== true;

/** Facts that concern nobody outside (docs/protocol.md). */
const withheld = [
  'text_checkpoint',
  'process_started',
  'model_state',
  'model_error',
  'turns_left_out',
  'cancel_decided',
  'cancel_unmatched',
  'transcript_dropped',
];

/** The sequence numbers of the facts that are published, in order. */
const publishedIn = (log: RunEvidence['log']): readonly number[] =>
  log.flatMap(({ type }, i) => (withheld.includes(type) ? [] : i + 1));

/** The receipts whose acceptance was emitted before its commit, without a sequence number: it is not emitted again with it. */
const emittedEarly = (frames: readonly ReceivedFrame[]) =>
  new Set(frames.flatMap(({ type, seq, cancel }) => (type === 'cancel_accepted' && seq === undefined ? [cancel] : [])));

const storedFacts = new WeakMap<RunEvidence['log'], readonly unknown[]>();

/** The facts of a log as a store of another process would return them. */
function storedIn(log: RunEvidence['log']): readonly unknown[] {
  const stored = storedFacts.get(log) ?? (JSON.parse(JSON.stringify(log)) as readonly unknown[]); // of the log itself
  storedFacts.set(log, stored);
  return stored;
}

/** The published facts after `after` in a list of frames: in order, none twice, and as the log has them. `early`: receipts whose acceptance is left out. */
function wrongFacts(
  frames: readonly ReceivedFrame[],
  after: number,
  log: RunEvidence['log'],
  early: ReadonlySet<unknown> = new Set(),
): readonly string[] {
  const isLeftOut = (fact: RunEvidence['log'][number] | undefined) =>
    fact?.type === 'cancel_accepted' && early.has(fact.cancel);
  const expected = publishedIn(log).filter((seq) => seq > after && !isLeftOut(log[seq - 1]));
  return frames.filter(isFact).flatMap((frame, i) => {
    const { seq, type } = frame;
    if (seq !== expected[i]) return [`${seq} ${type} in the place of ${expected[i]}`];
    return saysFact(frame, storedIn(log)[seq - 1]) ? [] : [`${seq} ${type} is not what the log has`];
  });
}

const namedBy = (client: ReceivedByClient, lines: readonly string[]) =>
  lines.map((line) => `${client.person}: ${line}`);

export const worldLaws: Readonly<Record<string, WorldLaw>> = {
  'a run comes to its end': ({ isOver }) => (isOver ? [] : ['it was still going on at its limit of steps or time']),

  'nothing is left': ({ left }) => left,

  // a call that did not stop in time is reported, too: its outcome says so
  'no bug is reported': ({ reports }, view) => {
    const ends = [...view.of('tool_result'), ...view.of('late_result')];
    const abandoned = ends.filter(({ outcome }) => outcome === 'abandoned');
    return reports.filter((report) => !abandoned.some(({ node }) => report.trim() === `${node} did not stop in time.`));
  },

  'no resource of the platform is made': ({ resources }) => resources,

  'no tool is entered after the cut of its call': ({ calls, acceptedAt }, view) =>
    view
      .of('cancel_accepted')
      .flatMap(({ cancel, stopping }) =>
        calls.flatMap(({ node, tool, enteredAt }) =>
          stopping.includes(node) && enteredAt > (acceptedAt.get(cancel) ?? Number.POSITIVE_INFINITY)
            ? [`${tool} ${node}, which ${cancel} stops`]
            : [],
        ),
      ),

  'a tool is entered once, after its start was written': ({ calls }, view) => {
    const started = new Set(view.of('tool_started').map(({ node }) => node));
    const entered = calls.map(({ node }) => node);
    return entered.flatMap((node, i) => [
      ...(started.has(node) ? [] : [`${node} has no start`]),
      ...(entered.indexOf(node) < i ? [`${node} was entered twice`] : []),
    ]);
  },

  'a call is not aborted in its region before its shield is over': ({ calls }, view) => {
    const forced = stoppedByEmergency(view);
    const shieldsOf = (node: string) =>
      view
        .of('cancel_accepted')
        .flatMap(({ at, pending, pendingMs = 0 }) => (pending.includes(node) ? at + pendingMs : []));
    return calls.flatMap(({ node, tool, abortedAt, abortedAtMs, diedAt, region }) => {
      if (diedAt !== null) return []; // a crash may take away the decision that has forced it
      const isInside = !forced.has(node) && region !== null && abortedAt !== null && abortedAt > region.from;
      const isOverdue = abortedAtMs !== null && abortedAtMs >= Math.min(region?.untilMs ?? 0, ...shieldsOf(node));
      return isInside && !isOverdue && (region.to === null || abortedAt < region.to) ? [`${tool} ${node}`] : [];
    });
  },

  'an effect is never reported smaller than it was': ({ calls }, view) => {
    const ends = [
      ...view.of('tool_result'),
      ...view.of('late_result'),
      ...view.of('cancel_settled').flatMap(({ nodes }) => nodes),
    ];
    return calls.flatMap(({ node, tool, actedAt, endedAt }) =>
      ends.flatMap((end) => {
        if (end.node !== node) return [];
        const isSmall = end.effect === 'not_started' || (actedAt !== null && end.effect === 'none');
        const isEarly = end.effect === 'done' && end.outcome === 'completed' && endedAt === null;
        return isSmall || isEarly ? [`${tool} ${node} is reported as ${end.effect}`] : [];
      }),
    );
  },

  'what a tool did has its effect in the outcome of its turn': ({ calls }, view) =>
    view.of('turn_ended').flatMap(({ turn, effect }) => {
      const acted = calls.filter(
        ({ node, actedAt }) =>
          actedAt !== null &&
          view.of('tool_result').some((end) => end.node === node && end.turn === turn && end.outcome === 'completed'),
      );
      return acted.length > 0 && effect !== 'done' && effect !== 'unknown' ? [`${turn} is reported as ${effect}`] : [];
    }),

  'a client emits every fact from its place on, in order, none twice, as the log has it': ({ clients, log }) =>
    clients.flatMap((client) =>
      namedBy(client, wrongFacts(client.emitted, client.after, log, emittedEarly(client.emitted)).slice(0, 1)),
    ),

  'a client that is joined has every fact': ({ clients, log }) =>
    clients.flatMap(({ person, emitted, isComplete }) => {
      const last = emitted.findLast(isFact)?.seq ?? 0;
      const newest = publishedIn(log).at(-1) ?? 0;
      return isComplete && last < newest ? [`${person} has ${last} of ${newest}`] : [];
    }),

  'a connection carries facts in order, none twice, as the log has them': ({ clients, log }) =>
    clients.flatMap((client) =>
      client.connections.flatMap((frames) =>
        namedBy(client, wrongFacts(frames, (frames.find(isFact)?.seq ?? 1) - 1, log).slice(0, 1)),
      ),
    ),

  'no delta of a cut turn follows its acceptance': ({ clients }) =>
    clients.flatMap((client) =>
      client.connections.flatMap((frames) => {
        const cut = new Set<unknown>();
        return frames.flatMap((frame) => {
          if (frame.type === 'cancel_accepted') for (const id of frame['stopping'] as readonly string[]) cut.add(id); // as docs/protocol.md has it
          return frame.type === 'text_delta' && cut.has(frame['turn'])
            ? [`${client.person}: a delta of ${String(frame['turn'])}`]
            : [];
        });
      }),
    ),

  'every request pairs its calls and results': ({ requests }) =>
    requests.flatMap(({ messages }) => pairingProblems(messages as Parameters<typeof pairingProblems>[0])),
};
