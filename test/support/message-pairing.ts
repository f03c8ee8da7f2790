// Checks a list of messages as the strictest chat template does: calls and results pair, speaker and model take turns, nothing is empty. Checks
// the request that each family of endpoints would get for them, too.
import type { Message } from '../../machines/messages.ts';
import { chatBody } from '../../src/adapters/models/chat/chat-body.ts';
import { families, rulesFor } from '../../src/adapters/models/chat/families.ts';
import type { ResolvedMessage } from '../../src/adapters/models/resolve-media.ts';
import { strictProfiles } from './strict/strict-profiles.ts';
import { conversationProblems } from './strict/wire-problems.ts';

/** Returns a sentence for each problem; none where every provider would accept the messages. */
export function pairingProblems(messages: readonly Message[]): string[] {
  return [...problemsOf(messages), ...problemsAtFamilies(messages)];
}

/** The model of each family whose rules are the strictest. */
const models: Partial<Record<keyof typeof families, string>> = {
  openai: 'gpt-5.6',
  gemini: 'gemini-3-pro',
  kimi: 'kimi-k2',
};

/** Media are left out: their text form stands in `content`. */
const textOnly = (message: Message): ResolvedMessage => {
  if (message.role === 'assistant') return message;
  const { parts: _, ...rest } = message;
  return rest;
};

function problemsAtFamilies(messages: readonly Message[]): string[] {
  const resolved = messages.map(textOnly);
  const names = Object.keys(families) as (keyof typeof families)[]; // the keys of a literal
  return names.flatMap((name) => {
    const model = models[name] ?? 'model';
    const body = chatBody({ request: { tools: [] }, messages: resolved, model, family: rulesFor(name, model) });
    return conversationProblems(body, strictProfiles[name]).map((problem) => `${name}: ${problem}`);
  });
}

function problemsOf(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  const close = (at: number) => {
    if (open.length > 0) problems.push(`before message ${at}: no result for ${open.join(', ')}`);
    open = [];
  };
  for (const [at, message] of messages.entries()) {
    const { role, content } = message;
    if (!content.isWellFormed()) problems.push(`message ${at} is not well-formed text`);
    if (role === 'tool') {
      const [next, ...rest] = open;
      if (next === message.callId) open = rest;
      else problems.push(`message ${at} is the result of ${message.callId}, instead of ${next ?? 'none'}`);
      if (content === '') problems.push(`message ${at} is an empty result`);
      continue;
    }
    close(at);
    const calls = role === 'assistant' ? message.calls : [];
    if (content.trim() === '' && calls.length === 0) problems.push(`message ${at} (${role}) is empty`);
    const before = messages[at - 1]?.role;
    if (role === 'user' && (before === 'user' || before === 'tool'))
      problems.push(`message ${at} (user) follows a message of the role ${before}`);
    if (role === 'assistant' && before !== 'user' && before !== 'tool')
      problems.push(`message ${at} (assistant) follows ${before ?? 'nothing'}`);
    if (role === 'system' && at > 0) problems.push(`message ${at} is a system message, and not the first`);
    for (const { callId, name, arguments: written } of calls) {
      if (seen.has(callId)) problems.push(`message ${at}: the id ${callId} is there twice`);
      seen.add(callId);
      if (!/^[\w-]{1,64}$/.test(name)) problems.push(`message ${at}: ${JSON.stringify(name)} is not a function name`);
      if (!isObject(written)) problems.push(`message ${at}: the arguments of ${callId} are not a JSON object`);
    }
    open = calls.map(({ callId }) => callId);
  }
  close(messages.length);
  if (!messages.some(({ role }) => role === 'user')) problems.push('no message comes from a speaker');
  return problems;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
