// Counts the facts of all sessions into the metrics.
import type { FactAbout, FactOf, FactSubjects, RecordedFact } from '../../../machines/facts.ts';
import type { NodeId, Usage } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import type { FactMoments, VoiceEvent } from '../../core/session/session-spec.ts';
import { msBetween } from '../../core/sources/monotonic-time.ts';
import type { MonotonicTime } from '../../core/sources/sources.ts';
import { wasStopped } from '../../core/words/receipt-words.ts';
import { BoundedLabels, otherLabel } from './bounded-labels.ts';
import type { MetricSink } from './metric-table.ts';
import type { ModelCallEnd, NodeEnd, NodeListener } from './open-nodes.ts';

/** Names of tools that get a series of their own. */
const maxTools = 200;
const maxModels = 50;
/** Reasons for refusals: the runtime has few, an embedder's rule may give others. */
const maxReasons = 30;
/** Receipts that have not settled, and abandoned work that has not ended: the entries of each map. */
const maxKept = 10_000;

const msPerSecond = 1_000;
const secondsBetween = (from: MonotonicTime, to: MonotonicTime): number => msBetween(from, to) / msPerSecond;

/** The codes of a turn's end that say what of it was abandoned. */
const abandonedWork: Readonly<Record<string, string>> = { model_abandoned: 'model', context_abandoned: 'context' };

/** The label of outside agents among the models: they report their tokens, not the models that they used. */
const outsideAgent = 'outside_agent';

export class CountedFacts implements NodeListener {
  readonly #sink: MetricSink;
  readonly #tools = new BoundedLabels(maxTools);
  readonly #models = new BoundedLabels(maxModels);
  readonly #reasons = new BoundedLabels(maxReasons);
  /** When each open receipt was accepted. */
  readonly #acceptedAt = new BoundedMap<string, MonotonicTime>(maxKept);
  /** Abandoned work that has not ended: its kind, by its node. */
  readonly #abandoned = new BoundedMap<NodeId, string>(maxKept);

  #lastCommitAt: MonotonicTime | null = null;

  constructor(sink: MetricSink) {
    this.#sink = sink;
  }

  fact(fact: RecordedFact, moments: FactMoments | null): void {
    this.#countCommit(moments);
    switch (fact.type) {
      case 'cancel_accepted':
        return this.#countAccepted(fact, moments);
      case 'cancel_refused':
        this.#sink.add('cancels', { source: fact.source, outcome: 'refused' });
        return this.#countRefusals(fact);
      case 'cancel_settled':
        return this.#countSettled(fact, moments);
      case 'history_compacted':
        return this.#countUsage(this.#models.labelOf(fact.model), fact.usage);
      case 'abandoned_ended':
        return this.#countAbandonedEnd(fact);
      case 'acknowledged':
        return this.#sink.observe('acknowledgedSeconds', { how: 'text' }, fact.ms / msPerSecond);
      case 'reaction':
      case 'earcon':
        return this.#sink.observe('acknowledgedSeconds', { how: fact.type }, fact.ms / msPerSecond);
      case 'session_recovered':
        return this.#sink.add('recovered', {}, fact.turns.length);
      default:
        // turns, calls and model calls are counted at their ends
        fact satisfies
          | FactAbout<Exclude<keyof FactSubjects, 'cancel' | 'history' | 'call' | 'session'>>
          | FactOf<'turns_left_out' | 'tool_call' | 'tool_started' | 'tool_result' | 'late_result'>
          | FactOf<FactSubjects['session'] | 'imported'>;
    }
  }

  /** Counts a commit once: its facts share their moment. */
  #countCommit(moments: FactMoments | null): void {
    if (!moments || moments.committedAt === this.#lastCommitAt) return;
    this.#lastCommitAt = moments.committedAt;
    this.#sink.observe('commitSeconds', {}, secondsBetween(moments.appendedAt, moments.committedAt));
  }

  /** Counts what no fact says. */
  voice(event: VoiceEvent): void {
    switch (event.type) {
      case 'barge_in':
        return this.#sink.add('bargeIns', { result: event.result });
      case 'false_interruption':
        return this.#sink.add('falseInterruptions', {});
      case 'speech_cut':
        return this.#sink.add('speechCuts', { why: event.why });
      case 'transcript':
        return this.#sink.add('transcripts', { result: event.result });
      case 'silent':
        return this.#sink.observe('silentSeconds', {}, event.ms / msPerSecond);
      default:
        event satisfies never;
    }
  }

  nodeEnded(end: NodeEnd): void {
    if (end.kind === 'turn') this.#countTurn(end);
    else this.#countCall(end);
  }

  modelEnded({ fact, started, ms }: ModelCallEnd): void {
    const model = this.#models.labelOf(started?.model);
    this.#sink.add('modelCalls', { model, outcome: fact.outcome });
    if (ms !== null) this.#sink.observe('modelSeconds', { model }, ms / msPerSecond);
    this.#countUsage(model, fact.usage);
  }

  #countTurn({ id, outcome, fact, node, ms }: NodeEnd): void {
    const labels = { kind: node?.turnKind ?? otherLabel, outcome };
    this.#sink.add('turns', labels);
    if (ms !== null) this.#sink.observe('turnSeconds', labels, ms / msPerSecond);
    const work = fact?.type === 'turn_ended' ? abandonedWork[fact.code ?? ''] : undefined;
    if (work) this.#countAbandoned(id, work);
  }

  #countCall({ id, kind, outcome, fact, node, stoppedBy, ms }: NodeEnd): void {
    const tool = this.#toolOf(node?.name, fact);
    this.#sink.add('calls', { tool, outcome });
    if (ms !== null) this.#sink.observe('callSeconds', { tool }, ms / msPerSecond);
    if (wasStopped(outcome)) this.#sink.add('interrupts', { tool, reason: stoppedBy ?? otherLabel });
    if (outcome === 'abandoned') this.#countAbandoned(id, 'call');
    // the usage of a sub-agent is the sum of model calls, which are counted already
    if (kind === 'tool-call' && fact?.type === 'tool_result' && fact.usage) this.#countUsage(outsideAgent, fact.usage);
  }

  /** Returns the label of a tool. A name that no tool has was made up by a model, and gets no series of its own. */
  #toolOf(name: string | null | undefined, fact: RecordedFact | null): string {
    const isInvented = fact?.type === 'tool_result' && fact.code === 'unknown_tool';
    return isInvented ? otherLabel : this.#tools.labelOf(name);
  }

  #countAccepted(fact: FactOf<'cancel_accepted'>, moments: FactMoments | null): void {
    const { cancel, source } = fact;
    this.#sink.add('cancels', { source, outcome: 'accepted' });
    this.#countRefusals(fact);
    if (!moments) return;
    const { appendedAt, committedAt } = moments;
    this.#acceptedAt.set(cancel, appendedAt);
    this.#sink.observe('acceptedSeconds', { source }, secondsBetween(appendedAt, committedAt));
  }

  #countRefusals({ refused }: FactOf<'cancel_accepted'> | FactOf<'cancel_refused'>): void {
    for (const { reason } of refused) this.#sink.add('refusals', { reason: this.#reasons.labelOf(reason) });
  }

  #countSettled({ cancel, cause: { source } }: FactOf<'cancel_settled'>, moments: FactMoments | null): void {
    const acceptedAt = this.#acceptedAt.get(cancel);
    this.#acceptedAt.delete(cancel);
    this.#sink.add('cancelsSettled', { source });
    if (acceptedAt === undefined || !moments) return;
    this.#sink.observe('settledSeconds', { source }, secondsBetween(acceptedAt, moments.appendedAt));
  }

  #countAbandoned(id: NodeId, work: string): void {
    this.#abandoned.set(id, work);
    this.#sink.add('abandoned', { work });
  }

  #countAbandonedEnd({ node }: FactOf<'abandoned_ended'>): void {
    const work = this.#abandoned.get(node);
    if (work === undefined) return; // it was abandoned before this process started
    this.#abandoned.delete(node);
    this.#sink.add('abandonedEnded', { work });
  }

  #countUsage(model: string, { input, output, cost }: Usage): void {
    if (input !== null && input > 0) this.#sink.add('tokens', { model, direction: 'input' }, input);
    if (output !== null && output > 0) this.#sink.add('tokens', { model, direction: 'output' }, output);
    if (cost !== undefined && cost > 0) this.#sink.add('cost', { model }, cost);
  }
}
