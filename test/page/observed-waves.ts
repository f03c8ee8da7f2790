// A harness that gives the waves of its CANCELs: from the records of its inspector, and from the facts of its log.
import type { SequencedFact } from '../../machines/facts.ts';
import { factFrame } from '../../src/gateway/event-frames.ts';
import { FactCancels } from '../../src/page/inspector-view/wave/fact-cancels.ts';
import { RecordCancels } from '../../src/page/inspector-view/wave/record-cancels.ts';
import type { Wave } from '../../src/page/inspector-view/wave/wave-model.ts';
import { waveOf } from '../../src/page/inspector-view/wave/wave-sources.ts';
import { collectRecords, type ObservedOptions, startObservedHarness } from '../inspector/observed.ts';

export const agents = { helper: { description: 'helps', instructions: 'Help.', agents: ['helper'] } };

/** A harness whose records are collected from the start, and the waves that the page would show of its CANCELs. */
export async function startWaves(options: ObservedOptions) {
  const harness = await startObservedHarness(options);
  const collected = collectRecords(harness.inspector);
  /** The facts of the log as the page reads them: without those that stay on the host. */
  const readFacts = async () => {
    const events = await harness.log.read('s', 0);
    // as the door of HTTP sends them, and as the page takes them
    return events.flatMap(({ seq, body }) => {
      const frame = factFrame('s', { seq, fact: body } as SequencedFact);
      return frame ? [{ seq, fact: frame } as unknown as SequencedFact] : [];
    });
  };
  const lastCancel = () => harness.recorder.of('cancel_accepted').at(-1)?.cancel ?? '';
  return Object.assign(harness, {
    collected,
    readFacts,
    /** The wave that the facts alone give. */
    pastWave: async (cancel = lastCancel()) => need(waveOf(cancel, null, new FactCancels(await readFacts()))),
    /** The wave that the records alone give. */
    liveWave: (cancel = lastCancel()) => need(waveOf(cancel, new RecordCancels(collected.records), null)),
    /** The wave that both give together. */
    wholeWave: async (cancel = lastCancel()) =>
      need(waveOf(cancel, new RecordCancels(collected.records), new FactCancels(await readFacts()))),
  });
}

/** Throws for null. */
export function need<T>(value: T | null): T {
  if (value === null) throw new Error('There is no wave.');
  return value;
}

/** Returns the part of a wave in which those of the two sources must agree. */
export const agreed = ({ rows, settledAt, acceptedAt, state }: Wave) => ({
  settledAt,
  acceptedAt,
  state,
  rows: rows.map(({ node, parent, depth, kind, verdict, reason, outcome, effect, settledAt: at }) => ({
    node,
    parent,
    depth,
    kind,
    verdict,
    reason,
    outcome,
    effect,
    at,
  })),
});
