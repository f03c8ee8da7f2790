// Lists the metrics: the names, the labels and the buckets. `npm run metrics` writes the table of docs/observability.md from it; the dashboard is checked against it.

export interface MetricRow {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

/** A CANCEL is accepted within milliseconds, and settles within the budget of a call: 1.5 s, or 4 s for an outside agent. */
const stopSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 5, 10, 30];
/** A commit is written and synced within milliseconds on a disk that is well. */
const commitSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const workSeconds = [0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const counter = (name: string, labels: readonly string[], help: string) =>
  ({ kind: 'counter', name, labels, help }) as const satisfies MetricRow;
const gauge = (name: string, labels: readonly string[], help: string) =>
  ({ kind: 'gauge', name, labels, help }) as const satisfies MetricRow;
const histogram = (name: string, labels: readonly string[], buckets: readonly number[], help: string) =>
  ({ kind: 'histogram', name, labels, buckets, help }) as const satisfies MetricRow;

export const metricTable = {
  turns: counter(
    'belay_turns_total',
    ['kind', 'outcome'],
    'Turns that have ended, those of sub-agents and acknowledgements too.',
  ),
  turnSeconds: histogram(
    'belay_turn_seconds',
    ['kind', 'outcome'],
    workSeconds,
    'Time from the opening of a turn to its end.',
  ),
  cancels: counter('belay_cancels_total', ['source', 'outcome'], 'CANCELs that were accepted or refused.'),
  cancelsSettled: counter('belay_cancels_settled_total', ['source'], 'CANCELs that have settled.'),
  refusals: counter('belay_cancel_refusals_total', ['reason'], 'Nodes that a CANCEL did not stop, by the reason.'),
  acceptedSeconds: histogram(
    'belay_cancel_accepted_seconds',
    ['source'],
    stopSeconds,
    'Time from the decision on a CANCEL to the commit of its acceptance.',
  ),
  settledSeconds: histogram(
    'belay_cancel_settled_seconds',
    ['source'],
    stopSeconds,
    'Time from the acceptance of a CANCEL to its settled receipt.',
  ),
  interrupts: counter(
    'tool_interrupts_total',
    ['tool', 'reason'],
    'Tool calls that were stopped, by the source of the first CANCEL that stopped them.',
  ),
  calls: counter('belay_tool_calls_total', ['tool', 'outcome'], 'Tool calls that have ended.'),
  callSeconds: histogram('belay_tool_call_seconds', ['tool'], workSeconds, 'Time from a tool call to its end.'),
  abandoned: counter('belay_abandoned_total', ['work'], 'Work that did not end in time after it was stopped.'),
  abandonedEnded: counter('belay_abandoned_ended_total', ['work'], 'Abandoned work that has ended after all.'),
  acknowledgedSeconds: histogram(
    'belay_stop_acknowledged_seconds',
    ['how'],
    stopSeconds,
    'Time from the acceptance of a CANCEL to its acknowledgement.',
  ),
  bargeIns: counter('belay_barge_ins_total', ['result'], 'BARGE_INs, by what became of them.'),
  falseInterruptions: counter(
    'belay_false_interruptions_total',
    [],
    'Speech that was paused and went on, because nobody said anything.',
  ),
  speechCuts: counter('belay_speech_cuts_total', ['why'], 'Speech that was cut off by words or by a CANCEL.'),
  silentSeconds: histogram(
    'belay_speech_silent_seconds',
    [],
    stopSeconds,
    'Time from a CANCEL that stops speech to the last report that more of it was played.',
  ),
  transcripts: counter('belay_transcripts_total', ['result'], 'Transcripts, by what became of them.'),
  modelCalls: counter('belay_model_calls_total', ['model', 'outcome'], 'Model calls that have ended.'),
  modelSeconds: histogram('belay_model_call_seconds', ['model'], workSeconds, 'Time from a model request to its end.'),
  tokens: counter('belay_tokens_total', ['model', 'direction'], 'Tokens of model calls, as far as they are known.'),
  cost: counter('belay_cost_dollars_total', ['model'], 'Cost of model calls in US dollars, as far as it is known.'),
  recovered: counter('belay_recovered_turns_total', [], 'Turns that a dead host left open, and recovery has closed.'),
  commitSeconds: histogram(
    'belay_store_commit_seconds',
    [],
    commitSeconds,
    'Time from an append to its commit in the store; the facts of one commit count once.',
  ),
  storeFailures: counter(
    'belay_store_failures_total',
    [],
    'Requests to the store that have failed: the disk is full, or the file is gone or locked.',
  ),
  storeBytes: gauge(
    'belay_store_bytes',
    ['file'],
    'Size of the files of the store: main, and wal, the write-ahead log.',
  ),
  refused: counter(
    'belay_refused_total',
    ['door', 'code'],
    'Connections and requests that were refused before their speaker was known, and frames and requests past a rate.',
  ),
  busUp: gauge('belay_bus_up', [], 'Whether the bus of a cluster is connected: 1, else 0.'),
  busMessages: counter('belay_bus_messages_total', ['direction'], 'Messages of the bus of a cluster.'),
  busQuestions: counter(
    'belay_bus_questions_total',
    ['reply'],
    'Questions to other hosts of a cluster, by what came of them.',
  ),
  activeTurns: gauge('belay_active_turns', ['state'], 'Open turns: waiting in their lane, or running.'),
  activeCalls: gauge('belay_active_calls', [], 'Tool calls and sub-agents that have not ended.'),
  activeSessions: gauge('belay_active_sessions', [], 'Sessions that are awake.'),
  connections: gauge('belay_connections', [], 'Connections of clients.'),
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricKey = keyof typeof metricTable;
export type LabelOf<Key extends MetricKey> = (typeof metricTable)[Key]['labels'][number];

/** Adds to counters and histograms, by the keys of the table. */
export interface MetricSink {
  add<Key extends MetricKey>(key: Key, labels: Readonly<Record<LabelOf<Key>, string>>, value?: number): void;
  /** Adds a duration to a histogram. */
  observe<Key extends MetricKey>(key: Key, labels: Readonly<Record<LabelOf<Key>, string>>, seconds: number): void;
}
