// Checks a list of messages as the strictest chat template does: calls and results pair, speaker and model take turns, nothing is empty.
import type { Message } from '../../machines/messages.ts';

type Judge = (messages: readonly Message[]) => string[];

let judgeAtFamilies: Judge = () => [];

/** Adds the judgment on the requests that families of endpoints would get for the messages. Only the adapters know them. */
export function addFamilies(judge: Judge): void {
  judgeAtFamilies = judge;
}

/** Returns a sentence for each problem; none where every provider would accept the messages. */
export function pairingProblems(messages: readonly Message[]): string[] {
  return [...problemsOf(messages), ...judgeAtFamilies(messages)];
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
