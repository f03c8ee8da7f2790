// Checks of plain answers: to a text, to an image, and after reasoning.
import { createHash } from 'node:crypto';
import type { Message } from '../../../../machines/messages.ts';
import { type Finding, failedFinding, failsWith, partly, works } from './check-result.ts';
import type { Trial } from './trial.ts';

const userMessage = (content: string): Message => ({ role: 'user', content });

/** Returns a text in quotes, cut to a length that fits a line. */
export const quoteLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
};

const instructions: Message = { role: 'system', content: 'You are being tested. Answer as briefly as you can.' };

/** Checks that the model answers at all. */
export async function checkText(trial: Trial): Promise<Finding> {
  const { end, text } = await trial.ask({ messages: [instructions, userMessage('Reply with the word ready.')] });
  if (end.kind !== 'completed') return failedFinding(end);
  if (text.trim() !== '') return works(`It said ${quoteLine(text)}.`);
  return failsWith(
    `Its response ended without text (${end.finish}).`,
    end.finish === 'length'
      ? 'Its reasoning took all of the response: set model.reasoningEffort to a lower word.'
      : 'Try another model: this one returns nothing for a plain request.',
  );
}

/** A square of one color, 64 pixels wide. */
const redSquare = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAeUlEQVR4nO3PQQkAMAzAwIqof3nTMRF7HINABFzm7H7dcEEDWtCAFjSgBQ1oQQNa0IAWNKAFDWhBA1rQgBY0oAUNaEEDWtCAFjSgBQ1oQQNa0IAWNKAFDWhBA1rQgBY0oAUNaEEDWtCAFjSgBQ1oQQNa0IAWNKAFj10tD+Dxu56VjQAAAABJRU5ErkJggg==',
  'base64',
);

/** Checks that the model sees an image. */
export async function checkImage(trial: Trial): Promise<Finding> {
  const blob = createHash('sha256').update(redSquare).digest('hex');
  const content = 'Which color is this picture? Answer with one word.';
  const image = { type: 'image', blob, mediaType: 'image/png', bytes: redSquare.length } as const;
  const asked: Message = { role: 'user', content, parts: [{ type: 'text', text: content }, image] };
  const { end, text } = await trial.ask({ messages: [instructions, asked] }, { blob: redSquare });
  const remedy = 'Choose a model that can see, if images are to reach it. Everything else works without.';
  if (end.kind !== 'completed') return failedFinding(end, remedy);
  if (/\bred\b|\bcrimson\b|\bscarlet\b/i.test(text)) return works('It saw the color of a picture.');
  return partly(`It did not see a red picture: it said ${quoteLine(text)}.`, remedy);
}

/** Checks what is shown of the model's reasoning. */
export async function checkReasoning(trial: Trial): Promise<Finding> {
  const messages = [
    instructions,
    userMessage('A bat and a ball cost 1.10 together; the bat costs 1.00 more. The ball?'),
  ];
  const { end, reasoning } = await trial.ask({ messages, options: { reasoningEffort: 'low' } });
  if (end.kind !== 'completed')
    return failedFinding(end, 'Leave model.reasoningEffort out, or use a word that this model has.');
  const { reasoning: tokens = 0 } = end.usage;
  if (reasoning !== '') return works('Its reasoning is shown.');
  if (tokens > 0) return works(`It reasoned (${tokens} tokens); the endpoint does not show it.`);
  return partly('It took the effort "low", and no reasoning was reported.', null);
}
