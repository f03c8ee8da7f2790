// Makes a span of each turn, model call, tool call and sub-agent, parent to child as in the live tree.
//
// 1. The times of a span are those of its facts. It ends once, as its node does for the observers.
// 2. No attribute holds a word of a conversation, an argument, an output or a secret.
import {
  type Attributes,
  type Context,
  context,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { FactOf, RecordedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import { dropUndefined } from '../../core/collections/fields.ts';
import type { CallTracing, ModelCallDescription } from '../../core/workers/extensions.ts';
import { type ModelCallEnd, type NodeEnd, type NodeListener, type OpenNode, OpenNodes } from './open-nodes.ts';
import {
  attributesOfDescription,
  attributesOfEnd,
  attributesOfModelEnd,
  attributesOfNode,
  attributesOfRequest,
  errorTypeOf,
  inventedToolSpan,
} from './span-attributes.ts';

const msPerSecond = 1_000;
const nsPerMs = 1_000_000;

/** A time in a form that no SDK takes for the time since the start of the process. */
const hrTimeOf = (at: number): HrTime => [Math.trunc(at / msPerSecond), Math.round((at % msPerSecond) * nsPerMs)];

/** Contexts of spans that have ended are kept for children that start later: a turn after its detached agent's call, say. */
const maxEnded = 1_000;

/** Names the tracer; an SDK can filter by it. */
export const tracerName = '@belay/runtime';

/** Returns the tracing of a runtime, by the tracer provider that is registered at this moment. */
export function createTracing(now: () => number): Spans {
  return new Spans(trace.getTracer(tracerName), now);
}

export class Spans implements NodeListener, CallTracing {
  readonly observer = new OpenNodes([this]);
  readonly #tracer: Tracer;
  readonly #now: () => number;
  readonly #open = new Map<string, Span>();
  /** What is known of model calls whose span has not started. */
  readonly #described = new BoundedMap<string, Attributes>(maxEnded);
  readonly #endedContexts = new BoundedMap<NodeId, Context>(maxEnded);

  constructor(tracer: Tracer, now: () => number) {
    this.#tracer = tracer;
    this.#now = now;
  }

  /** Spans that have not ended. */
  get size(): number {
    return this.#open.size;
  }

  inCall<T>(call: NodeId, work: () => T): T {
    const span = this.#open.get(call);
    return span ? context.with(trace.setSpan(context.active(), span), work) : work();
  }

  describeModelCall(turn: NodeId, index: number, about: ModelCallDescription): void {
    const key = modelKey(turn, index);
    const attributes = attributesOfDescription(about);
    const span = this.#open.get(key);
    if (span) span.setAttributes(attributes);
    else this.#described.set(key, { ...this.#described.get(key), ...attributes });
  }

  nodeStarted(node: OpenNode): void {
    const { name, attributes } = attributesOfNode(node);
    this.#startSpan(node.id, name, {
      kind: SpanKind.INTERNAL,
      at: node.at,
      attributes,
      parent: node.parent,
      link: node.from,
    });
  }

  nodeEnded(end: NodeEnd): void {
    const { id, outcome, fact, node, ms } = end;
    // a session that was demolished has no fact of its model calls either
    if (!fact)
      for (const key of this.#open.keys()) if (key.startsWith(`${id} `)) this.#endSpan(key, {}, 'session_ended');
    const isInvented = fact?.type === 'tool_result' && fact.code === 'unknown_tool';
    if (isInvented) this.#open.get(id)?.updateName(inventedToolSpan.name);
    const attributes = { ...attributesOfEnd(end), ...(isInvented && inventedToolSpan.attributes) };
    this.#endSpan(id, attributes, errorTypeOf(outcome, fact), endOf(node, ms) ?? fact?.at);
  }

  modelStarted(session: string, { turn, index, model, at }: FactOf<'model_started'> & RecordedFact): void {
    const key = modelKey(turn, index);
    const { name, attributes: asked } = attributesOfRequest(session, model, index);
    const attributes = { ...asked, ...this.#described.get(key) };
    this.#described.delete(key);
    this.#startSpan(key, name, { kind: SpanKind.CLIENT, at, attributes, parent: turn });
  }

  modelEnded({ fact, started, ms }: ModelCallEnd): void {
    const error = fact.outcome === 'failed' || fact.outcome === 'abandoned' ? (fact.code ?? fact.outcome) : null;
    this.#endSpan(modelKey(fact.turn, fact.index), attributesOfModelEnd(fact), error, endOf(started, ms) ?? fact.at);
  }

  #startSpan(key: string, name: string, { kind, at, attributes, parent, link }: NewSpan): void {
    const linked = link === undefined ? undefined : trace.getSpanContext(this.#contextOf(link));
    const links = linked ? [{ context: linked }] : [];
    const above = parent === null ? ROOT_CONTEXT : this.#contextOf(parent);
    const span = this.#tracer.startSpan(name, { kind, startTime: hrTimeOf(at), attributes, links }, above);
    this.#open.set(key, span);
  }

  /** `error`: why it failed; null: it did not. */
  #endSpan(key: string, attributes: Attributes, error: string | null, at = this.#now()): void {
    const span = this.#open.get(key);
    if (!span) return;
    this.#open.delete(key);
    this.#endedContexts.set(key, trace.setSpan(ROOT_CONTEXT, span));
    span.setAttributes({ ...attributes, ...dropUndefined({ 'error.type': error ?? undefined }) });
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    span.end(hrTimeOf(at));
  }

  /** The context in which a span of a node is the active one; the root context, if the node is not known. */
  #contextOf(node: NodeId): Context {
    const span = this.#open.get(node);
    return span ? trace.setSpan(ROOT_CONTEXT, span) : (this.#endedContexts.get(node) ?? ROOT_CONTEXT);
  }
}

interface NewSpan {
  readonly kind: SpanKind;
  readonly at: number;
  readonly attributes: Attributes;
  /** The node whose span is above it; null: it has none. */
  readonly parent: NodeId | null;
  readonly link?: NodeId | undefined;
}

const modelKey = (turn: NodeId, index: number): string => `${turn} ${index}`;

/** Returns the time of day of an end that follows from the start and the time that has passed: it may have been set forward or backward meanwhile. */
const endOf = (start: { readonly at: number } | null, ms: number | null): number | null =>
  start && ms !== null ? start.at + ms : null;
