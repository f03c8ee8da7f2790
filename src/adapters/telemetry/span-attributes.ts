// The names and the attributes of spans: those of the GenAI semantic conventions of OpenTelemetry where they have one, else `belay.…`.
import type { FactOf, RecordedFact } from '../../../machines/facts.ts';
import type { OutcomeKind, Usage } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../../core/collections/fields.ts';
import { wasStopped } from '../../core/words/receipt-words.ts';
import type { ModelCallDescription } from '../../core/workers/extensions.ts';
import { otherLabel } from './bounded-labels.ts';
import type { NodeEnd, OpenNode } from './open-nodes.ts';

/** Every attribute that a span may have. docs/observability.md is checked against this list. */
export const spanAttributes = {
  operation: 'gen_ai.operation.name',
  conversation: 'gen_ai.conversation.id',
  agent: 'gen_ai.agent.name',
  provider: 'gen_ai.provider.name',
  address: 'server.address',
  port: 'server.port',
  model: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  interrupted: 'tool.interrupted',
  interruptReason: 'tool.interrupt_reason',
  errorType: 'error.type',
  node: 'belay.node.id',
  turnKind: 'belay.turn.kind',
  outcome: 'belay.outcome',
  effect: 'belay.effect',
  stoppedBy: 'belay.stopped_by',
  index: 'belay.model_call.index',
} as const;

const a = spanAttributes;

type Values = Readonly<Record<string, string | number | boolean | string[]>>;

interface NamedSpan {
  readonly name: string;
  readonly attributes: Values;
}

/** A turn is the run of an agent; a tool call, also one that starts an agent, is the run of a tool. */
export function attributesOfNode({ id, session, kind, turnKind, name, callId }: OpenNode): NamedSpan {
  const common = { [a.node]: id, [a.conversation]: session };
  if (kind === 'turn') {
    const named = { ...(turnKind && { [a.turnKind]: turnKind }), ...(name !== null && { [a.agent]: name }) };
    const attributes = { ...common, [a.operation]: 'invoke_agent', ...named };
    return { name: name === null ? 'invoke_agent' : `invoke_agent ${name}`, attributes };
  }
  const called = { [a.tool]: name ?? '', ...(callId && { [a.toolCall]: callId }) };
  return { name: `execute_tool ${name}`, attributes: { ...common, [a.operation]: 'execute_tool', ...called } };
}

/** The name of a call whose tool a model has invented: the name is its text, and one of any number. */
export const inventedToolSpan: NamedSpan = {
  name: `execute_tool ${otherLabel}`,
  attributes: { [a.tool]: otherLabel },
};

/** `index`: the number of the model call in its turn. */
export function attributesOfRequest(session: string, model: string | undefined, index: number): NamedSpan {
  const common = { [a.operation]: 'chat', [a.conversation]: session, [a.index]: index };
  return { name: model ? `chat ${model}` : 'chat', attributes: { ...common, ...(model && { [a.model]: model }) } };
}

/** The names that the conventions have for families, where they are others than ours. */
const providerNames: Readonly<Record<string, string>> = {
  gemini: 'gcp.gemini',
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
  xai: 'x_ai',
  kimi: 'moonshot_ai',
};

/** Returns the attributes of a model call that its facts do not have. */
export const attributesOfDescription = (about: ModelCallDescription): Values =>
  dropUndefined({
    [a.provider]: about.family && (providerNames[about.family] ?? about.family),
    [a.address]: about.address,
    [a.port]: about.port,
    [a.responseId]: about.responseId,
    [a.responseModel]: about.responseModel,
  });

/** Returns how a node has ended. Of a call also whether a CANCEL has stopped it, and the source of the first one; of a turn the source alone. */
export function attributesOfEnd({ kind, outcome, fact, stoppedBy }: NodeEnd): Values {
  const effect = fact && 'effect' in fact ? fact.effect : undefined;
  const common = { [a.outcome]: outcome, ...dropUndefined({ [a.effect]: effect }) };
  const usage = fact?.type === 'turn_ended' ? attributesOfUsage(fact.usage) : {};
  if (kind === 'turn') return { ...common, ...usage, ...(stoppedBy !== null && { [a.stoppedBy]: stoppedBy }) };
  const reason = stoppedBy !== null && { [a.interruptReason]: stoppedBy };
  return { ...common, [a.interrupted]: wasStopped(outcome), ...reason };
}

/** Returns how a model call has ended, and its usage. */
export function attributesOfModelEnd({ outcome, finish, usage }: FactOf<'model_ended'>): Values {
  return { [a.outcome]: outcome, ...(finish && { [a.finishReasons]: [finish] }), ...attributesOfUsage(usage) };
}

const attributesOfUsage = ({ input, output, cachedInput }: Usage): Values =>
  dropUndefined({
    [a.inputTokens]: input ?? undefined,
    [a.outputTokens]: output ?? undefined,
    [a.cachedTokens]: cachedInput,
  });

/** Returns the type of error of an end: its code if it failed, its outcome if it did not end in time. An end that was cancelled, superseded or denied is no error. */
export function errorTypeOf(outcome: OutcomeKind, fact: RecordedFact | null): string | null {
  if (fact === null) return 'session_ended';
  if (outcome !== 'failed' && outcome !== 'timed_out' && outcome !== 'abandoned') return null;
  return ('code' in fact ? fact.code : undefined) ?? outcome;
}
