// Judges messages by the request that each family of endpoints would get for them.
import type { Message } from '../../../machines/messages.ts';
import { chatBody } from '../../../src/adapters/models/chat/chat-body.ts';
import { families, rulesFor } from '../../../src/adapters/models/chat/families.ts';
import type { ResolvedMessage } from '../../../src/adapters/models/resolve-media.ts';
import { strictProfiles } from './strict-profiles.ts';
import { conversationProblems } from './wire-problems.ts';

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

/** Returns a sentence for each problem that a family of endpoints would have with the messages. */
export function familyProblems(messages: readonly Message[]): string[] {
  const resolved = messages.map(textOnly);
  const names = Object.keys(families) as (keyof typeof families)[]; // the keys of a literal
  return names.flatMap((name) => {
    const model = models[name] ?? 'model';
    const body = chatBody({ request: { tools: [] }, messages: resolved, model, family: rulesFor(name, model) });
    return conversationProblems(body, strictProfiles[name]).map((problem) => `${name}: ${problem}`);
  });
}
