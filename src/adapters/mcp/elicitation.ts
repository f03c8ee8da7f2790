// Asks a person for values that a server needs in the middle of a call, as a question with a flat schema.
import type { JsonSchema } from '../../../machines/tool-declaration.ts';
import type { ToolContext } from '../../core/contracts/tool.ts';
import { truncate } from '../../core/text/bound-text.ts';
import { describeForm, type FormValues, readForm } from './form-values.ts';

export interface Elicitation {
  readonly message: string;
  readonly schema: JsonSchema;
  /** Fires when the server does not need the values any more. */
  readonly signal: AbortSignal;
}

export type ElicitationReply =
  | { readonly action: 'accept'; readonly content: FormValues }
  | { readonly action: 'decline' | 'cancel' };

const maxMessageChars = 4_000;
const maxSchemaChars = 16_384;
const maxTries = 3;
/** The limit of requests of one call that wait for a person. The reply to further ones is `cancel`. */
const maxInFlight = 16;

/** Returns the function that asks the speaker of one call for values. */
export function elicitationsOf(
  serverName: string,
  ask: ToolContext['ask'],
): (request: Elicitation) => Promise<ElicitationReply> {
  let inFlight = 0;
  return async (request) => {
    if (inFlight >= maxInFlight) return { action: 'cancel' };
    inFlight++;
    try {
      return await askForValues(serverName, request, ask);
    } finally {
      inFlight--;
    }
  };
}

/** Asks until the values fit their schema. Resolves with `cancel` if the question is withdrawn, or never answered well. */
async function askForValues(
  serverName: string,
  { message, schema, signal }: Elicitation,
  ask: ToolContext['ask'],
): Promise<ElicitationReply> {
  if (JSON.stringify(schema).length > maxSchemaChars) return { action: 'decline' };
  const question = [
    `The MCP server ${serverName} asks: ${truncate(message, maxMessageChars)}`,
    describeForm(schema),
    'Answer with name=value, or with "decline".',
  ];
  let problem = '';
  for (let tries = 0; tries < maxTries; tries++) {
    const text = [...(problem === '' ? [] : [`${problem}.`]), ...question].filter((line) => line !== '').join('\n');
    const answer = await ask({ text, schema, signal }).catch(() => null);
    if (answer === null) return { action: 'cancel' };
    if (/^\s*decline\s*$/i.test(answer)) return { action: 'decline' };
    const reading = readForm(answer, schema);
    if (reading.ok) return { action: 'accept', content: reading.values };
    problem = reading.problem;
  }
  return { action: 'cancel' };
}
