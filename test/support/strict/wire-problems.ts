// Checks the body of a Chat Completions request as the strictest endpoint of a family does: turns, calls and results, contents, ids, state.
import { fieldsOf } from '../../../src/core/collections/fields.ts';
import type { StrictProfile } from './strict-profiles.ts';

type Body = Readonly<Record<string, unknown>>;
type WireCall = { readonly id: string; readonly function: Readonly<Record<string, unknown>> } & Body;

const messagesOf = ({ messages }: Body): readonly Body[] => (Array.isArray(messages) ? messages.map(fieldsOf) : []);

/** Returns a sentence for each problem; none: the endpoint takes the request. */
export function wireProblems(body: Body, profile: StrictProfile): string[] {
  const last = messagesOf(body).at(-1)?.['role'];
  const isAsked = last === 'user' || last === 'tool';
  return [...conversationProblems(body, profile), ...(isAsked ? [] : [`the last message is one of ${last}`])];
}

/** Returns the problems of a body whose messages may be the beginning of a conversation: the model may have the last word. */
export function conversationProblems(body: Body, profile: StrictProfile): string[] {
  const messages = messagesOf(body);
  return [
    ...fieldProblems(body, profile),
    ...turnProblems(messages, profile),
    ...messages.flatMap((message, at) => messageProblems(message, profile).map((text) => `message ${at} ${text}`)),
    ...callProblems(messages, profile),
  ];
}

function fieldProblems(body: Body, { refusedFields, toolsOnlyWithoutReasoning }: StrictProfile): string[] {
  const problems = Object.keys(body)
    .filter((name) => refusedFields?.test(name))
    .map((name) => `the field ${name} is not known`);
  if (body['stream'] !== true) problems.push('no stream is asked for');
  if (Array.isArray(body['tools']) && body['tools'].length === 0) problems.push('the list of tools is empty');
  if (body['tool_choice'] !== undefined && body['tools'] === undefined) problems.push('a choice among no tools');
  const { model, tools, reasoning_effort: effort } = body;
  if (toolsOnlyWithoutReasoning && tools !== undefined && /^gpt-5\.6/.test(String(model)) && effort !== 'none')
    problems.push('function tools with reasoning_effort are not supported');
  return problems;
}

/** Returns the problems with the order of messages: which role may follow which. */
function turnProblems(messages: readonly Body[], { userAfterResults }: StrictProfile): string[] {
  const problems: string[] = [];
  const allowed: Readonly<Record<string, readonly string[]>> = {
    system: ['nothing'],
    user: ['nothing', 'system', 'assistant', ...(userAfterResults ? ['tool'] : [])],
    assistant: ['user', 'tool'],
    tool: ['calls', 'tool'],
  };
  let before = 'nothing';
  for (const [at, { role, tool_calls: calls }] of messages.entries()) {
    const isKnown = allowed[String(role)]?.includes(before === 'calls' && role !== 'tool' ? 'open calls' : before);
    if (!isKnown) problems.push(`message ${at} (${role}) comes after ${before}`);
    before = calls === undefined ? String(role) : 'calls';
  }
  if (!messages.some(({ role }) => role === 'user')) problems.push('no message comes from a user');
  return problems;
}

function messageProblems(message: Body, profile: StrictProfile): string[] {
  const { emptyContent, emptyContentWords, refusedMessageFields, media } = profile;
  const { role, content, tool_calls: calls } = message;
  const problems = Object.keys(message)
    .filter((name) => refusedMessageFields.test(name))
    .map((name) => `has the field ${name}`);
  if (Array.isArray(content)) problems.push(...partProblems(content, media));
  else if (typeof content === 'string' && !content.isWellFormed()) problems.push('is not well-formed text');
  const form = content === null ? 'null' : content === undefined ? 'left_out' : 'text';
  const isEmpty = form !== 'text' || (typeof content === 'string' && content.trim() === '') || isEmptyList(content);
  if (isEmpty && calls === undefined) problems.push(`(${role}) is empty`);
  if (isEmpty && calls !== undefined && !emptyContent.includes(form))
    problems.push(emptyContentWords ?? `has the empty content ${form}`);
  return problems;
}

const isEmptyList = (content: unknown): boolean => Array.isArray(content) && content.length === 0;

function partProblems(parts: readonly unknown[], media: readonly string[]): string[] {
  return parts.map(fieldsOf).flatMap(({ type, text }) => {
    if (type === 'text') return text === '' ? ['has an empty part'] : [];
    return type === 'thinking' || media.includes(String(type)) ? [] : [`has a part of the type ${type}`];
  });
}

/** Calls, and their results directly after them. */
function callProblems(messages: readonly Body[], profile: StrictProfile): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [at, message] of [...messages, {} as Body].entries()) {
    if (message['role'] === 'tool') {
      const id = String(message['tool_call_id']);
      if (!open.includes(id)) problems.push(`message ${at} is the result of no open call: ${id}`);
      open = open.filter((each) => each !== id);
      continue;
    }
    if (open.length > 0) problems.push(`before message ${at} the calls ${open.join(', ')} have no result`);
    const calls = (message['tool_calls'] ?? []) as readonly WireCall[]; // as Belay writes them
    open = calls.map(({ id }) => id);
    for (const [i, call] of calls.entries()) {
      problems.push(...problemsOfCall(call, profile).map((text) => `message ${at}, call ${i} ${text}`));
      if (seen.has(call.id)) problems.push(`message ${at}: the id ${call.id} is there twice`);
      seen.add(call.id);
    }
    const stateless = [...stateProblems(message, calls, profile), ...signatureProblems(message, profile)];
    problems.push(...stateless.map((text) => `message ${at} ${text}`));
  }
  return problems;
}

function problemsOfCall({ id, function: called }: WireCall, { callIds }: StrictProfile): string[] {
  const { name, arguments: input } = called;
  return [
    ...(callIds.test(id) ? [] : [`has the id ${JSON.stringify(id)}`]),
    ...(/^[\w-]{1,64}$/.test(String(name)) ? [] : [`has the name ${JSON.stringify(name)}`]),
    ...(isObjectText(input) ? [] : ['has arguments that are no JSON text of an object']),
  ];
}

function stateProblems(message: Body, calls: readonly WireCall[], { state }: StrictProfile): string[] {
  const [first] = calls;
  if (!first) return [];
  if (state === 'reasoning_content' && typeof message['reasoning_content'] !== 'string')
    return ['has calls without the reasoning that led to them'];
  const { google } = fieldsOf(first['extra_content']);
  const { thought_signature: signature } = fieldsOf(google);
  return state === 'thought_signature' && !signature ? ['has a first call without a signature'] : [];
}

/** A block of thinking has its signature. */
function signatureProblems({ reasoning_details: details }: Body, { state }: StrictProfile): string[] {
  if (state !== 'signed_thinking' || !Array.isArray(details)) return [];
  const isUnsigned = ({ type, signature }: Body) => type === 'reasoning.text' && typeof signature !== 'string';
  return details
    .map(fieldsOf)
    .filter(isUnsigned)
    .map(() => 'has a block of thinking without a signature');
}

function isObjectText(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof text === 'string' && typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
