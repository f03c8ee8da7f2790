// The lines of the structured log: what each event is called, its level and its fields. docs/log.md says the same.
//
// 1. A field is an id, a name of a speaker, a session or a tool that runs, a word of a closed set, the address of a client, or a number: never a word of a conversation, never a secret.
// 2. There is one line for each thing: a fact gives the same lines whenever it is committed, and it is committed once.
import type {
  FactAbout,
  FactOf,
  FactSubjects,
  LateResult,
  RecordedFact,
  ToolCall,
  ToolResult,
  TurnOpened,
} from '../../../machines/facts.ts';
import { dropUndefined } from '../collections/fields.ts';
import { endFields, longestMs, readEnd } from '../receipt/receipt.ts';
import { countText } from '../words/count-text.ts';
import { durationText } from '../words/durations.ts';
import {
  causeText,
  endingText,
  outcomeText,
  ranText,
  receiptText,
  refusalText,
  settledText,
} from '../words/receipt-words.ts';

export type LogLevel = 'info' | 'warn';

interface LogEvent {
  readonly level: LogLevel;
  /** The fields that a line of it may have, beside those of every line. */
  readonly fields: readonly string[];
}

const event = <const Fields extends readonly string[]>(level: LogLevel, ...fields: Fields) => ({ level, fields });

/** Every event of the log. */
export const logEvents = {
  listening: event('info', 'url', 'pid'),
  drain: event('info', 'ms'),
  shutdown: event('info'),
  join: event('info', 'session', 'speaker', 'connection'),
  turn_end: event('info', 'session', 'turn', 'kind', 'owner', 'outcome', 'effect', 'code', 'ms'),
  cancel: event(
    'info',
    'session',
    'cancel',
    'source',
    'by',
    'via',
    'door',
    'target',
    'force',
    'stopping',
    'pending',
    'refused',
    'detached',
  ),
  stop: event('info', 'session', 'cancel', 'node', 'kind', 'name', ...endFields, 'ms', 'ranMs'),
  tool_timeout: event('warn', 'session', 'turn', 'node', 'name', 'timeoutMs', 'ranMs'),
  cancel_end: event('info', 'session', 'cancel', 'source', 'by', 'nodes', 'abandoned', 'ms'),
  refusal: event('info', 'session', 'speaker', 'action', 'code', 'source', 'target'),
  connection_refused: event('info', 'door', 'code', 'status', 'address', 'unreported'),
  model_failure: event('warn', 'session', 'turn', 'index', 'code'),
  abandoned: event('warn', 'session', 'turn', 'node', 'kind', 'name'),
  abandoned_end: event('info', 'session', 'node'),
  tokens: event('info', 'added', 'revoked'),
  recovery: event('info', 'sessions', 'turns', 'processes'),
  deletion: event('info', 'session'),
  warning: event('warn', 'problem', 'error', 'code', 'stack'),
} as const satisfies Readonly<Record<string, LogEvent>>;

export type LogEventName = keyof typeof logEvents;
type Value = string | number | boolean;
type Fields<Name extends LogEventName> = Readonly<
  Partial<Record<(typeof logEvents)[Name]['fields'][number], Value | null | undefined>>
>;

/** A line as it is written: its time comes with the writing. */
export interface LogLine {
  readonly event: LogEventName;
  readonly level: LogLevel;
  readonly fields: Readonly<Record<string, Value>>;
  /** The fields as a sentence. */
  readonly message: string;
}

/** Makes a line. Fields that are undefined or null are left out. */
export function logLine<const Name extends LogEventName>(name: Name, message: string, fields: Fields<Name>): LogLine {
  const given = Object.entries(dropUndefined({ ...fields })).filter(([, value]) => value !== null);
  return { event: name, level: logEvents[name].level, fields: Object.fromEntries(given) as LogLine['fields'], message }; // without null
}

type NamedCall = Pick<ToolCall, 'name' | 'turn'>;

/** `elapsedMs`: when it has started; null: not known. */
interface StartedCall extends NamedCall {
  readonly elapsedMs: number | null;
}

/** A call in a receipt that has not settled. `ranMs`: how long it ran, null until its end, or where that is not known. */
interface StoppedCall {
  readonly name: string;
  readonly ranMs: number | null;
}

/** Facts of the subjects above that have no line. */
type UnloggedFact = FactOf<'late_result' | 'model_started' | 'text_checkpoint' | 'model_state' | 'model_error'>;

interface OpenedTurn {
  readonly kind: TurnOpened['kind'];
  readonly owner: string;
  readonly elapsedMs: number | null;
}

/** Turns facts into lines. Keeps what a later line needs of the turns that are open and the calls that run. */
export class FactLines {
  readonly #turns = new Map<string, OpenedTurn>();
  /** The calls that have started: their names are those of real tools. */
  readonly #calls = new Map<string, StartedCall>();
  readonly #asked = new Map<string, NamedCall>();
  /** The calls that an open receipt lists: its lines name them. */
  readonly #stopped = new Map<string, StoppedCall>();

  /** Entries that are kept. */
  get size(): number {
    return this.#turns.size + this.#calls.size + this.#asked.size + this.#stopped.size;
  }

  /** Returns the lines of a fact of a session: none for most. `elapsedMs`: when it was appended, by a clock that does not step; null: not known. */
  linesOf(session: string, fact: RecordedFact, elapsedMs: number | null): readonly LogLine[] {
    switch (fact.type) {
      case 'turn_opened':
      case 'turn_started': {
        const { turn, owner } = fact;
        // a root turn is opened before it starts: what starts without that is the turn of a sub-agent
        const kind = fact.type === 'turn_opened' ? fact.kind : 'agent';
        if (!this.#turns.has(turn)) this.#turns.set(turn, { kind, owner, elapsedMs });
        return [];
      }
      case 'tool_call':
        this.#asked.set(fact.node, { name: fact.name, turn: fact.turn });
        return [];
      case 'tool_started': {
        const call = this.#asked.get(fact.node);
        if (call) this.#calls.set(fact.node, { ...call, elapsedMs });
        return [];
      }
      case 'tool_result':
      case 'late_result':
        return this.#callEndLines(session, fact, elapsedMs);
      case 'turn_ended':
        return [this.#turnLine(session, fact, elapsedMs)];
      case 'model_ended':
        return modelLines(session, fact);
      case 'abandoned_ended':
        return [logLine('abandoned_end', `${fact.node} has ended after all`, { session, node: fact.node })];
      case 'tool_timeout':
        return [this.#timeoutLine(session, fact, elapsedMs)];
      case 'cancel_accepted':
        for (const node of [...fact.stopping, ...fact.pending]) this.#noteStopped(node);
        return cancelLines(session, fact);
      case 'cancel_refused':
        return cancelLines(session, fact);
      case 'cancel_settled':
        return this.#settledLines(session, fact);
      default:
        fact satisfies
          | FactAbout<Exclude<keyof FactSubjects, 'turn' | 'call' | 'model' | 'cancel' | 'run'>>
          | FactOf<'process_started' | 'tool_changed'>
          | UnloggedFact;
        return [];
    }
  }

  #noteStopped(node: string): void {
    const call = this.#calls.get(node);
    if (call && !this.#stopped.has(node)) this.#stopped.set(node, { name: call.name, ranMs: null });
  }

  #timeoutLine(session: string, { node, ms: timeoutMs }: FactOf<'tool_timeout'>, elapsedMs: number | null): LogLine {
    const call = this.#calls.get(node) ?? this.#asked.get(node);
    const ranMs = ranMsOf(this.#calls.get(node), elapsedMs);
    const message = `${call?.name ?? 'a call'} ${node} has exceeded its timeout of ${durationText(timeoutMs)}${ranText(ranMs)}`;
    const fields = { session, turn: call?.turn, node, name: this.#calls.get(node)?.name, timeoutMs, ranMs };
    return logLine('tool_timeout', message, fields);
  }

  #settledLines(session: string, fact: FactOf<'cancel_settled'> & RecordedFact): readonly LogLine[] {
    const { cancel, nodes } = fact;
    const stops = nodes.map(({ times: _, ...settled }) => {
      const { name, ranMs = null } = this.#stopped.get(settled.node) ?? {};
      this.#stopped.delete(settled.node);
      const what = name === undefined ? settled.node : `${name} ${settled.node}`;
      const fields = { session, cancel, ...settled, name, ranMs };
      return logLine('stop', `${what}: ${settledText(settled, ranMs)}`, fields);
    });
    return [...stops, ...cancelLines(session, fact)];
  }

  #callEndLines(
    session: string,
    fact: RecordedFact & (ToolResult | LateResult),
    elapsedMs: number | null,
  ): readonly LogLine[] {
    const end = readEnd(fact);
    if (!end) return [];
    const { node, outcome } = end;
    const call = this.#calls.get(node);
    const name = call?.name;
    if (call && this.#stopped.has(node)) this.#stopped.set(node, { name: call.name, ranMs: ranMsOf(call, elapsedMs) });
    const turn = fact.type === 'tool_result' ? fact.turn : this.#calls.get(node)?.turn;
    this.#calls.delete(node);
    this.#asked.delete(node);
    if (outcome !== 'abandoned') return [];
    const message = `${name ?? 'a call'} ${node} ${outcomeText(outcome)}`;
    return [logLine('abandoned', message, { session, turn, node, kind: 'call', name })];
  }

  #turnLine(session: string, { turn, outcome, effect, code }: FactOf<'turn_ended'>, elapsedMs: number | null): LogLine {
    const opened = this.#turns.get(turn);
    this.#turns.delete(turn);
    const openedMs = opened?.elapsedMs ?? null;
    const ms = openedMs === null || elapsedMs === null ? undefined : elapsedMs - openedMs;
    const whose = opened ? ` of ${opened.owner}` : '';
    const why = code === undefined ? '' : ` (${code})`;
    return logLine('turn_end', `${turn}${whose} ${endingText({ outcome, effect, ms, why })}`, {
      session,
      turn,
      outcome,
      effect,
      code,
      ms,
      kind: opened?.kind,
      owner: opened?.owner,
    });
  }
}

const ranMsOf = (call: StartedCall | undefined, elapsedMs: number | null): number | null =>
  call === undefined || call.elapsedMs === null || elapsedMs === null ? null : elapsedMs - call.elapsedMs;

function modelLines(session: string, fact: RecordedFact & { readonly type: 'model_ended' }): readonly LogLine[] {
  const { turn, index, outcome, code } = fact;
  if (outcome === 'failed')
    return [
      logLine('model_failure', `model call ${index} of ${turn} ${outcomeText(outcome)} (${code})`, {
        session,
        turn,
        index,
        code,
      }),
    ];
  if (outcome !== 'abandoned') return [];
  const message = `model call ${index} of ${turn} ${outcomeText(outcome)}`;
  return [logLine('abandoned', message, { session, turn, kind: 'model-call' })];
}

function cancelLines(session: string, fact: FactAbout<'cancel'> & RecordedFact): readonly LogLine[] {
  switch (fact.type) {
    case 'cancel_accepted': {
      const { cancel, source, by, via, door, target, force, stopping, pending, refused, detached } = fact;
      const message = `${causeText(source, by)} stops ${target}: ${countText(stopping.length + pending.length, 'node')}, ${refused.length} refused`;
      return [
        logLine('cancel', message, {
          session,
          cancel,
          source,
          by,
          via,
          door,
          target,
          force,
          stopping: stopping.length,
          pending: pending.length,
          refused: refused.length,
          detached: detached.length,
        }),
      ];
    }
    case 'cancel_refused': {
      const { by, source, target, refused } = fact;
      const code = refused[0]?.reason;
      const why = code === undefined ? '' : `: ${refusalText(code, null)}`;
      const message = `${causeText(source, by)} may not stop ${target}${why}`;
      return [logLine('refusal', message, { session, speaker: by, action: 'cancel', code, source, target })];
    }
    case 'cancel_settled': {
      const { cancel, cause, nodes } = fact;
      const { source, by } = cause;
      const ms = longestMs(nodes);
      const abandoned = nodes.filter(({ outcome }) => outcome === 'abandoned').length;
      const message = `${cancel}: ${receiptText(nodes)}`;
      const end = { session, cancel, source, by, nodes: nodes.length, abandoned, ms };
      return [logLine('cancel_end', message, end)];
    }
    default:
      fact satisfies never;
      return [];
  }
}
